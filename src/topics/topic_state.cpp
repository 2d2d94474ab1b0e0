#include "topic_state.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/special.h"
#include "topic_record.h"

namespace buffet {

double draw_fresh_pi(double x, int documents, Rng& rng) {
  const double log_rest = std::log1p(rng.uniform() * std::expm1(-documents * x)) / documents;
  const double share = -std::expm1(-x);
  return share > 0 ? std::min(1.0, std::expm1(log_rest) / -share) : rng.uniform();
}

FreshTopicEqual::FreshTopicEqual(double alpha, double gamma, double ell, int documents)
    : gamma_(gamma), ell_(ell), documents_(documents), cumulated_(documents) {
  double sum = 0;
  for (int j = 1; j <= documents; ++j)
    cumulated_[j - 1] = sum += std::exp(-(gamma + 1) * std::log1p(j * ell));
  mass_ = alpha * gamma / documents * sum;
}

TopicAtom FreshTopicEqual::draw(double, Rng& rng) const {
  const double at = rng.uniform() * cumulated_.back();
  const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, at);
  const auto j = 1 + (found - cumulated_.begin());
  const double phi = rng.gamma(gamma_ + 1, 1 + j * ell_);
  return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};
}

FreshTopic::FreshTopic(double alpha, double gamma, Eigen::ArrayXd ell)
    : alpha_(alpha), gamma_(gamma), ell_(std::move(ell)), mean_(ell_.mean()) {}

double FreshTopic::mass(double ell) const {
  return -alpha_ * std::exp(-gamma_ * std::log1p(ell)) * std::expm1(-gamma_ * span(ell)) /
         (count() * mean_);
}

TopicAtom FreshTopic::draw(double ell, Rng& rng) const {
  const double grown = std::log1p(rng.uniform() * std::expm1(-gamma_ * span(ell)));
  const double log_rate = std::log1p(ell) - grown / gamma_;
  const double phi = rng.gamma(gamma_ + 1, std::exp(log_rate));
  return {draw_fresh_pi(mean_ * phi, count(), rng), phi};
}

double FreshTopic::log_ratio(double ell, const TopicAtom& atom) const {
  const double share = -std::expm1(-mean_ * atom.phi);
  return std::log(atom.phi * mean_ / share) - (count() - 1) * std::log1p(-atom.pi * share) +
         log_absent(atom) - std::log1p(atom.pi * std::expm1(-ell * atom.phi));
}

double FreshTopic::log_absent(const TopicAtom& atom) const {
  const Eigen::ArrayXd absent = 1 - atom.pi * (1 - (-atom.phi * ell_).exp());
  double sum = 0;
  for (Eigen::Index from = 0; from < absent.size(); from += 16)
    sum += std::log(absent.segment(from, std::min<Eigen::Index>(16, absent.size() - from)).prod());
  return sum;
}

FreshTopicNew::FreshTopicNew(double alpha, double gamma, double mean, int documents)
    : alpha_(alpha),
      gamma_(gamma),
      mean_(mean),
      documents_(documents),
      as_member_(alpha, gamma, Eigen::ArrayXd::Constant(documents + 1, mean)) {}

void FreshTopicNew::draw_silent(double ell, Rng& rng, std::vector<double>& weights) const {
  for (int n = rng.poisson(alpha_ * std::exp(-gamma_ * std::log1p(ell))); n > 0; --n) {
    const double phi = rng.gamma(gamma_, 1 + ell), pi = rng.uniform();
    const double log_missed = documents_ * std::log1p(pi * std::expm1(-mean_ * phi));
    if (std::log(rng.uniform()) < log_missed) weights.push_back(phi);
  }
}

double FreshTopicNew::log_ratio(double, const TopicAtom& atom) const {
  return std::log(atom.phi * mean_ / -std::expm1(-mean_ * atom.phi));
}

TopicData::TopicData(int words, const Counts& counts) : words_(words) {
  starts_.push_back(0);
  for (const auto& document : counts) {
    for (const auto& [word, count] : document) tokens_.insert(tokens_.end(), count, word);
    starts_.push_back(static_cast<int>(tokens_.size()));
    if (starts_.back() > starts_[starts_.size() - 2]) filled_.push_back(documents() - 1);
  }
}

std::vector<int> TopicCounts::counts_of_counts() const {
  std::vector<int> pairs(1, 0);
  for (const List& list : lists_)
    for (const Entry& entry : list) {
      if (entry.count >= static_cast<int>(pairs.size())) pairs.resize(entry.count + 1, 0);
      ++pairs[entry.count];
    }
  return pairs;
}

WordEvidence::WordEvidence(const TopicCounts& counts) : words_(counts.words()) {
  for (int k = 0; k < counts.slots(); ++k)
    if (counts.total(k) > 0) totals_.push_back(counts.total(k));
  const std::vector<int> pairs = counts.counts_of_counts();
  for (std::size_t c = 1; c < pairs.size(); ++c)
    if (pairs[c] > 0) pairs_.push_back({static_cast<int>(c), pairs[c]});
}

double WordEvidence::operator()(double eta) const {
  double sum = totals_.size() * log_gamma(words_ * eta);
  for (int total : totals_) sum -= log_gamma(words_ * eta + total);
  const double of_none = log_gamma(eta);
  for (const auto& [count, pairs] : pairs_) sum += pairs * (log_gamma(eta + count) - of_none);
  return sum;
}

Eigen::MatrixXd TopicState::loadings() const {
  Eigen::MatrixXd atoms(2, topics() + 1);
  int n = 0;
  for (int k = 0; k < slots(); ++k)
    if (lives(k)) atoms.col(n++) << pi(k), phi(k);
  atoms.col(n) << mean_exposure(), shared_by();
  return atoms;
}

int TopicState::topics() const {
  int n = 0;
  for (int k = 0; k < slots(); ++k) n += lives(k);
  return n;
}

bool TopicState::are_counts_of_z() const {
  TopicCounts found(data->words());
  found.resize(slots());
  for (int i = 0; i < data->tokens(); ++i) {
    if (z[i] < 0 || z[i] >= slots()) return false;
    found.add(data->word(i), z[i]);
  }
  return counts.counts_as(found);
}

int TopicState::shared_by() const {
  const auto& filled = data->filled();
  return model.lengths == Lengths::given ? int(filled.size()) : data->documents();
}

double TopicState::mean_exposure() const {
  double sum = 0;
  for (int m : data->filled()) sum += ell(m);
  return sum / static_cast<double>(data->filled().size());
}

void TopicState::resize(int slots) {
  const int before = this->slots();
  counts.resize(slots);
  pi.conservativeResize(slots);
  phi.conservativeResize(slots);
  for (int k = before; k < slots; ++k) free(k);
}

void TopicState::start(int topics, Rng& rng) {
  resize(topics);
  for (int i = 0; i < data->tokens(); ++i) counts.add(data->word(i), z[i] = rng.below(topics));
  for (int k = 0; k < topics; ++k)
    if (lives(k)) set_atom(k, {0.5, model.gamma.value});
}

void CountsWriter::topic(const Entries& entries) {
  bytes_.number(static_cast<unsigned>(entries.size()));
  int before = 0;
  for (const auto& [index, count] : entries) {
    bytes_.next(index, before);
    bytes_.number(static_cast<unsigned>(count));
  }
}

void CountsWriter::silent(double phi, const Entries& documents) {
  bytes_.real(phi);
  topic(documents);
}

CountsReader::Entries CountsReader::topic() {
  Entries entries(bytes_.count(2, "the counts of a topic"));
  int before = 0;
  for (auto& [index, count] : entries) {
    index = bytes_.next(before, std::numeric_limits<int>::max(), "the numbers of words");
    count = bytes_.number();
    bytes_.check(count > 0, "the counts of a topic");
  }
  return entries;
}

KnownTopics::KnownTopics(const TopicModel& model_, Eigen::MatrixXd atoms_, ByteReader counts)
    : model(model_), atoms(std::move(atoms_)) {
  counts.check(atoms.rows() == 2 && atoms.cols() > 0, "the probabilities of topics");
  words.resize(size());
  documents.resize(size());
  CountsReader reader(counts);
  for (auto& entries : words) entries = reader.topic();
  for (auto& entries : documents) entries = reader.topic();
  const int silent = reader.silent();
  for (int e = 0; e < silent; ++e) {
    silent_weights.push_back(reader.weight());
    silent_documents.push_back(reader.topic());
  }
  reader.end();
}

void KnownTopics::check(int most_words, int most_documents) const {
  const auto below = [](const std::vector<CountsWriter::Entries>& topics, int limit) {
    return std::all_of(topics.begin(), topics.end(), [limit](const auto& entries) {
      return entries.empty() || entries.back().first < limit;
    });
  };
  ByteReader::check(below(words, most_words) && below(documents, most_documents) &&
                        below(silent_documents, most_documents),
                    "the numbers of words or documents");
}

int draw_number(const std::vector<double>& weights, Rng& rng) {
  double sum = 0;
  for (double weight : weights) sum += weight;
  double at = rng.uniform() * sum;
  for (std::size_t n = 0; n < weights.size(); ++n)
    if ((at -= weights[n]) < 0) return static_cast<int>(n);
  return static_cast<int>(weights.size()) - 1;
}

void start_from(const KnownTopics& known, TopicState& state, Rng& rng) {
  const TopicData& data = *state.data;
  known.check(data.words(), data.documents());
  state.model = known.model;
  state.resize(std::max(1, known.size()));
  std::vector<std::vector<std::pair<int, int>>> of_word(data.words()), held(data.documents());
  std::vector<double> totals(known.size(), data.words() * known.model.eta.value);
  for (int k = 0; k < known.size(); ++k) {
    for (const auto& [word, count] : known.words[k]) {
      of_word[word].push_back({k, count});
      totals[k] += count;
    }
    for (const auto& [m, count] : known.documents[k]) held[m].push_back({k, count});
  }
  std::vector<double> share(known.size()), weights;
  for (int m = 0; m < data.documents(); ++m)
    for (int i = data.begin(m); i < data.end(m); ++i) {
      std::fill(share.begin(), share.end(), known.model.eta.value);
      for (const auto& [k, count] : of_word[data.word(i)]) share[k] += count;
      weights.clear();
      ByteReader::check(!held[m].empty(), "the topics of a document");
      for (const auto& [k, count] : held[m]) weights.push_back(count * share[k] / totals[k]);
      state.z[i] = held[m][draw_number(weights, rng)].first;
      state.counts.add(data.word(i), state.z[i]);
    }
  for (int k = 0; k < known.size(); ++k)
    if (state.lives(k)) state.set_atom(k, known.atom(k));
}

std::vector<unsigned char> TopicState::bytes_kept() const {
  std::vector<CountsWriter::Entries> words(slots()), documents(slots());
  for (int w = 0; w < data->words(); ++w)
    for (const auto& entry : counts.list(w)) words[entry.topic].push_back({w, entry.count});
  for (int m = 0; m < data->documents(); ++m)
    for (int i = data->begin(m); i < data->end(m); ++i) {
      auto& of_topic = documents[z[i]];
      if (of_topic.empty() || of_topic.back().first != m) of_topic.push_back({m, 0});
      ++of_topic.back().second;
    }
  CountsWriter writer;
  for (const auto* part : {&words, &documents})
    for (int k = 0; k < slots(); ++k)
      if (lives(k)) writer.topic((*part)[k]);
  writer.silent(static_cast<int>(silent.size()));
  for (const ChosenTopic& topic : silent) {
    CountsWriter::Entries chosen;
    topic.documents.for_each([&](int m) { chosen.push_back({m, 1}); });
    writer.silent(topic.phi, chosen);
  }
  return writer.take();
}

}  // namespace buffet
