#include <signal.h>

#include <csignal>

#include "core/archive.h"
#include "team_glue.h"

using namespace buffet;

namespace {

Question as_question(const Rcpp::RawVector& x) {
  Question question;
  from_bytes(Rcpp::as<std::vector<unsigned char>>(x), question);
  return question;
}

volatile std::sig_atomic_t interrupted = 0;
void (*handler_before)(int) = SIG_DFL;

void take_note(int) {
  interrupted = 1;
}

}  // namespace

// Bytes of what the program of a member asks next, once it has been given the bytes of an answer:
// none to begin with.
// [[Rcpp::export]]
Rcpp::RawVector member_question_cpp(SEXP member, Rcpp::RawVector answer) {
  const Rcpp::XPtr<Member> m(member);
  if (answer.size() > 0) {
    Answer given;
    from_bytes(Rcpp::as<std::vector<unsigned char>>(answer), given);
    m->relay().give(std::move(given));
  }
  Question question = m->relay().question();
  return Rcpp::wrap(to_bytes(question));
}

// Rows of a block of data in memory that have so many rows.
// [[Rcpp::export]]
int block_rows_cpp(int rows) {
  return Source::block_rows(rows);
}

// What the program of a member kept last.
// [[Rcpp::export]]
Rcpp::RObject member_kept_cpp(SEXP member) {
  return Rcpp::XPtr<Member>(member)->kept();
}

// What the program of a member has found, once it has ended.
// [[Rcpp::export]]
Rcpp::List member_result_cpp(SEXP member) {
  return Rcpp::XPtr<Member>(member)->result();
}

// Ends the program of a member and frees its rows.
// [[Rcpp::export]]
void close_member_cpp(SEXP member) {
  Rcpp::XPtr<Member>(member).release();
}

// Has interrupts wait, where waiting for a socket would be given up for them, or lets them come
// again: those that came meanwhile, too, or not.
// [[Rcpp::export]]
void hold_interrupts_cpp(bool hold, bool forget) {
#ifndef _WIN32
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  if (forget) std::signal(SIGINT, std::signal(SIGINT, SIG_IGN));
  pthread_sigmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &interrupts, nullptr);
#endif
}

// From `begin` on interrupts are but noted, whichever thread they come to: those that MPI starts do
// not hold them, and R's own handler must not run there. Otherwise they are R's again, one that
// nobody has asked for as well.
// [[Rcpp::export]]
void note_interrupts_cpp(bool begin) {
#ifndef _WIN32
  if (begin) {
    interrupted = 0;
    handler_before = std::signal(SIGINT, take_note);
  } else {
    std::signal(SIGINT, handler_before);
    if (interrupted) std::raise(SIGINT);
  }
#endif
}

// Has one been noted that nobody has asked for yet?
// [[Rcpp::export]]
bool noted_interrupt_cpp() {
  if (!interrupted) return false;
  interrupted = 0;
  return true;
}

// The answer (raw) to what all members ask (raw, in their order), with which they are told to keep
// their states, or to end. Also: has their program ended, why it failed (by member, "" where it did
// not), how often their states were kept, how far they are (numbers; NULL: nothing is known) and how
// many seconds each took.
// [[Rcpp::export]]
Rcpp::List team_answer_cpp(Rcpp::List asked, bool save, bool stop) {
  std::vector<Question> questions;
  std::vector<std::string> failures;
  std::vector<double> seconds;
  for (const Rcpp::RawVector bytes : asked) {
    questions.push_back(as_question(bytes));
    const Question& q = questions.back();
    failures.emplace_back(q.failure.begin(), q.failure.end());
    seconds.push_back(q.seconds);
  }
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("failures") = Rcpp::wrap(failures),
                                      Rcpp::Named("seconds") = Rcpp::wrap(seconds),
                                      Rcpp::Named("kept") = questions[0].kept,
                                      Rcpp::Named("ended") = questions[0].kind == Question::end);
  if (questions[0].status.size() > 0) out["status"] = Rcpp::wrap(questions[0].status);
  for (const std::string& failure : failures)
    if (!failure.empty()) return out;
  Answer answer = answer_to(questions);
  answer.save = save;
  answer.stop = stop;
  out["answer"] = Rcpp::wrap(to_bytes(answer));
  return out;
}
