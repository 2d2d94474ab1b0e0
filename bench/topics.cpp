// Topics: the speed of tokens and the quality of document completion, compared with the usual
//   models. topics [seeds] [sweeps] [folder of data-raw/topic-corpora.R]
#include <cstdlib>
#include <functional>

#include "decoupled.h"
#include "focused_document.h"
#include "focused_topics.h"
#include "hdp_lda.h"
#include "lda.h"
#include "table.h"
#include "topic_use.h"

using namespace bench;
using buffet::Lengths;
using buffet::TopicChain;

namespace {

/// The same numbers of documents, words and tokens as in Cora, from 50 topics.
Corpus like_cora() {
  buffet::Rng rng(1);
  const int words = 2961;
  Eigen::ArrayXXd topics(words, 50);
  for (int k = 0; k < 50; ++k)
    topics.col(k) = dirichlet(Eigen::ArrayXd::Constant(words, 0.05), rng);
  Corpus corpus{words, {}};
  for (int m = 0; m < 2135; ++m) {
    const Eigen::ArrayXd theta = dirichlet(Eigen::ArrayXd::Constant(50, 0.1), rng);
    std::vector<int> document;
    for (int i = 0; i < 58; ++i) document.push_back(outcome(topics.col(outcome(theta, rng)), rng));
    std::sort(document.begin(), document.end());
    corpus.documents.push_back(document);
  }
  return corpus;
}

/// Tokens per second of a sampler, measured after some sweeps.
template <class Sampler>
std::string tokens_per_second(Sampler sampler, int tokens) {
  buffet::Rng rng(1, 1);
  for (int n = 0; n < 10; ++n) sampler.sweep(rng);
  std::vector<double> millions;
  for (int n = 0; n < 10; ++n)
    millions.push_back(tokens / 1e6 / seconds_of([&] { sampler.sweep(rng); }));
  return with_quartiles(spread(millions));
}

/// Measures the visits to documents alone, and whole sweeps.
void measure_focused(const std::string& name, const Corpus& corpus, const FocusedPlan& plan) {
  FocusedTopicModel model(corpus, plan, 1);
  TopicChain& chain = model.chain();
  std::vector<double> documents, whole;
  for (int n = 0; n < 60; ++n) {
    const double visit = seconds_of([&] { chain.visit_documents([] {}); });
    const double rest = seconds_of([&] { chain.update_parameters(); });
    if (n < 40) continue;
    documents.push_back(model.tokens() / 1e6 / visit);
    whole.push_back(model.tokens() / 1e6 / (visit + rest));
  }
  const std::string topics = text("%d", chain.z.size());
  row({name + ": documents", topics, with_quartiles(spread(documents))});
  row({name + ": sweep", topics, with_quartiles(spread(whole))});
}

void measure_speed(const char* name, const Corpus& corpus) {
  buffet::Rng rng(1);
  heading((std::string("Topics: millions of tokens per second, ") + name).c_str(),
          {"sampler", "K", "median (quartiles)"});
  for (int topics : {50, 100, 200})
    row({"plain LDA", text("%d", topics),
         tokens_per_second(Lda(corpus, {topics, 5.0 / topics}, rng), corpus.tokens())});
  for (const Lengths lengths : {Lengths::model, Lengths::given})
    for (const int moves : {0, 1})
      measure_focused(text("focused, %s, ", lengths == Lengths::model ? "model" : "given") +
                          (moves == 0 ? "no moves" : "1 move"),
                      corpus, {lengths, moves, 150});
}

/// The methods whose perplexity on the test documents is compared.
struct Model {
  std::string name;
  std::function<double(const TopicProblem&)> perplexity;
};

Model lda(int topics) {
  return {text("LDA, K = %d", topics), [topics](const TopicProblem& problem) {
            return perplexity<Lda>(problem, LdaSettings{topics, 5.0 / topics});
          }};
}

Model hdp(int start) {
  return {"HDP-LDA", [start](const TopicProblem& problem) {
            return perplexity<HdpLda>(problem, HdpSettings{start});
          }};
}

Model focused(const char* name, const FocusedPlan& plan) {
  return {name, [plan](const TopicProblem& problem) { return focused_perplexity(problem, plan); }};
}

Model truth(const FocusedTopics& topics) {
  return {"truth known", [&topics](const TopicProblem& problem) {
            buffet::Rng rng(problem.seed);
            Completion completion(problem.test);
            completion.add(FocusedTruth{topics}, 4 * problem.schedule.sweeps_of_completion, rng);
            return completion.perplexity();
          }};
}

void compare(int seeds, int sweeps) {
  std::vector<std::string> names, columns{"model"};
  std::vector<std::vector<double>> perplexity;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Decoupled data = decoupled(seed);
    buffet::Rng rng(seed, 1);
    const Halves test = halves(data.test.corpus, rng);
    const TopicProblem problem{data.training.corpus, test, {sweeps}, std::uint64_t(seed)};
    const std::vector<Model> models{truth(data.topics),
                                    lda(16),
                                    lda(32),
                                    hdp(20),
                                    focused("focused, model, 5 moves", {Lengths::model, 5, 20}),
                                    focused("focused, model, no moves", {Lengths::model, 0, 20}),
                                    focused("focused, given, 5 moves", {Lengths::given, 5, 20})};
    perplexity.resize(models.size());
    names.clear();
    for (std::size_t m = 0; m < models.size(); ++m) {
      names.push_back(models[m].name);
      perplexity[m].push_back(models[m].perplexity(problem));
    }
    columns.push_back(text("seed %d", seed));
  }
  columns.push_back("ratio to the truth's (range)");
  heading("Topics: perplexity if presence and share are decoupled", columns);
  for (std::size_t m = 0; m < names.size(); ++m) {
    std::vector<std::string> cells{names[m]};
    for (double p : perplexity[m]) cells.push_back(text("%.1f", p));
    cells.push_back(with_range(spread(ratios(perplexity[m], perplexity[0])), 3));
    row(cells);
  }
}

void compare_on_text(const std::string& folder) {
  const std::vector<Model> models{lda(50), lda(100), hdp(50),
                                  focused("focused, model", {Lengths::model, 1, 50}),
                                  focused("focused, given", {Lengths::given, 1, 50})};
  std::vector<std::string> columns{"corpus"};
  for (const Model& model : models) columns.push_back(model.name);
  heading("Topics: perplexity of text", columns);
  for (const std::string name : {"cora", "newsgroups", "press"}) {
    const Corpus training = read_corpus(folder + "/" + name + "-training.txt");
    buffet::Rng rng(1, 1);
    const Halves test = halves(read_corpus(folder + "/" + name + "-test.txt"), rng);
    std::vector<std::string> cells{name};
    for (const Model& model : models)
      cells.push_back(text("%.0f", model.perplexity({training, test, {300}, 1})));
    row(cells);
  }
}

/// Mean over the topics of each kind (in the order of decoupled_topics()) that have a match.
std::string of_kind(const Eigen::ArrayXd& values, const std::vector<int>& match, int kind) {
  double sum = 0;
  int found = 0;
  for (int k = 4 * kind; k < 4 * kind + 4; ++k)
    if (match[k] >= 0) {
      sum += values(match[k]);
      ++found;
    }
  return found > 0 ? text("%.3f", sum / found) : "none";
}

/// The use of topics in a fit, and in new documents predicted by its model.
struct Fitted {
  const char* name;
  TopicUse used, implied;
  Eigen::ArrayXXd words;
};

Fitted fitted_hdp(const FocusedDocuments& training, int sweeps) {
  buffet::Rng rng(1);
  HdpLda hdp(training.corpus, {}, rng);
  for (int n = 0; n < sweeps; ++n) hdp.sweep(rng);
  const TopicMixture mixture = hdp.draw();
  return {"HDP-LDA", topic_use(hdp.present()),
          topic_use(simulated_counts(mixture.weights, lengths(training.corpus), rng)),
          mixture.words.topRows(hdp.topics())};
}

Fitted fitted_focused(const FocusedDocuments& training, int sweeps) {
  buffet::Rng rng(1);
  FocusedTopicModel model(training.corpus, {Lengths::model, 5, 20}, 1);
  for (int n = 0; n < sweeps; ++n) model.sweep(rng);
  const FocusedDraw draw = model.draw();
  return {"focused", topic_use(counts_of(model.chain().likelihood)),
          topic_use(implied_counts(draw, 20000, rng)), draw.words.topRows(draw.known.size())};
}

void show_use(int sweeps) {
  const Decoupled data = decoupled(1);
  const TopicUse truth = topic_use(data.training.counts.cast<double>());
  std::vector<int> itself(16);
  std::iota(itself.begin(), itself.end(), 0);
  heading("Topics: presence and share",
          {"model", "kind", "true presence", "used", "implied", "true share", "used", "implied"});
  const char* const kinds[]{"rare, minor", "rare, dominant", "common, minor", "common, dominant"};
  for (const Fitted& fit :
       {fitted_focused(data.training, sweeps), fitted_hdp(data.training, sweeps)}) {
    const std::vector<int> match = matches(data.topics.beta, fit.words);
    for (int kind = 0; kind < 4; ++kind)
      row({fit.name, kinds[kind], of_kind(truth.presence, itself, kind),
           of_kind(fit.used.presence, match, kind), of_kind(fit.implied.presence, match, kind),
           of_kind(truth.share, itself, kind), of_kind(fit.used.share, match, kind),
           of_kind(fit.implied.share, match, kind)});
  }
}

}  // namespace

int main(int arguments, char** argument) {
  const int seeds = arguments > 1 ? std::atoi(argument[1]) : 5;
  const int sweeps = arguments > 2 ? std::atoi(argument[2]) : 400;
  const std::string folder = arguments > 3 ? argument[3] : "";
  if (folder.empty())
    measure_speed("as many as Cora", like_cora());
  else
    measure_speed("Cora", read_corpus(folder + "/cora-training.txt"));
  std::puts("");
  compare(seeds, sweeps);
  std::puts("");
  show_use(sweeps);
  if (folder.empty()) return 0;
  std::puts("");
  compare_on_text(folder);
}
