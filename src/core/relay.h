#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "team.h"

namespace buffet {

/// What a member's program asks its team, or how it ended.
struct Question {
  enum Kind { sum, gather, beat, end };
  int number = 0, kind = beat;
  TreeSum sums;
  Eigen::VectorXd values;
  Eigen::VectorXd status;  ///< how far the program is
  Eigen::VectorXd known;   ///< what it knows of all rows, the same for all members
  int kept = 0;            ///< how often its state was kept
  double seconds = 0;      ///< since the last answer
  std::vector<char> failure;

  void archive(Archive& a) {
    a(number);
    a(kind);
    a.check(kind >= sum && kind <= end, "the kind of a question");
    a(sums);
    a(values);
    a(status);
    a(known);
    a(kept);
    a(seconds);
    a(failure);
  }
};

struct Answer {
  int number = 0;
  bool save = false, stop = false;
  Eigen::VectorXd values;

  void archive(Archive& a) {
    a(number);
    a(save);
    a(stop);
    a(values);
  }
};

/// Do two members ask the same at the same point? What they know is the same to the last bit.
inline bool agree(const Question& a, const Question& b) {
  const auto size = a.known.size();
  return a.number == b.number && a.kind == b.kind && size == b.known.size() &&
         (size == 0 || std::memcmp(a.known.data(), b.known.data(), size * sizeof(double)) == 0);
}

/// The answer to what all members ask, whose questions come in the order of the members.
inline Answer answer_to(const std::vector<Question>& questions) {
  const Question& first = questions.front();
  Answer answer{first.number, false, false, first.values};
  TreeSum sums;
  std::vector<double> values;
  for (const Question& q : questions) {
    if (!agree(q, first))
      throw std::runtime_error(
          "the workers do not agree on where they are: their processors or libraries compute "
          "differently.");
    sums.add(q.sums);
    values.insert(values.end(), q.values.data(), q.values.data() + q.values.size());
  }
  if (first.kind == Question::sum) answer.values = sums.total();
  if (first.kind == Question::gather)
    answer.values = Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
  return answer;
}

/// A member of a team whose program runs on a thread of its own: what it asks is taken from here,
/// and the answer given here.
class Relay : public Team {
 public:
  /// Thrown in a program that nobody waits for any more.
  struct Abandoned {};

  Relay(int size, int index) : size_(size), index_(index) {}
  ~Relay() override { abandon(); }

  int size() const override { return size_; }
  int index() const override { return index_; }
  Eigen::VectorXd sum(const TreeSum& own) override {
    Question question;
    question.kind = Question::sum;
    question.sums = own;
    return ask(std::move(question));
  }
  Eigen::VectorXd gather(const Eigen::VectorXd& own) override {
    Question question;
    question.kind = Question::gather;
    question.values = own;
    return ask(std::move(question));
  }

  /// The program tells how far it is and what it knows of all rows, and asks for what it is to do
  /// besides, if it has asked nothing since it did so last.
  void report(const Eigen::VectorXd& status, const Eigen::VectorXd& known) {
    status_ = status;
    known_ = known;
    if (!asked_) ask({});
    asked_ = false;
  }
  /// Is it to keep its state? To end?
  bool saves() const { return saves_; }
  bool stops() const { return stops_; }
  /// The program has kept its state.
  void kept() {
    saves_ = false;
    ++kept_;
  }

  /// Begins the program.
  void begin(std::function<void()> program) {
    thread_ = std::thread([this, program = std::move(program)] {
      Question last;
      last.kind = Question::end;
      try {
        program();
      } catch (const Abandoned&) {
        return;
      } catch (const std::exception& e) {
        const std::string what = e.what();
        last.failure.assign(what.begin(), what.end());
      }
      pose(std::move(last));
    });
  }

  /// Waits for what the program asks.
  Question question() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return has_question_; });
    has_question_ = false;
    return std::move(question_);
  }
  void give(Answer answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_ = std::move(answer);
    has_answer_ = true;
    changed_.notify_all();
  }

  /// Has the program end when it asks next, and waits for that.
  void abandon() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      abandoned_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void pose(Question question) {
    question.number = number_;
    question.status = status_;
    question.known = known_;
    question.kept = kept_;
    question.seconds = std::chrono::duration<double>(Clock::now() - answered_).count();
    const std::lock_guard<std::mutex> lock(mutex_);
    question_ = std::move(question);
    has_question_ = true;
    changed_.notify_all();
  }

  Eigen::VectorXd ask(Question question) {
    asked_ = true;
    pose(std::move(question));
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return has_answer_ || abandoned_; });
    if (abandoned_) throw Abandoned();
    has_answer_ = false;
    if (answer_.number != number_) throw std::runtime_error("an answer to another question.");
    ++number_;
    saves_ = saves_ || answer_.save;
    stops_ = stops_ || answer_.stop;
    answered_ = Clock::now();
    return std::move(answer_.values);
  }

  int size_, index_;
  int number_ = 0, kept_ = 0;
  bool asked_ = false, saves_ = false, stops_ = false;
  Eigen::VectorXd status_, known_;
  Clock::time_point answered_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_question_ = false, has_answer_ = false, abandoned_ = false;
  Question question_;
  Answer answer_;
  std::thread thread_;
};

}  // namespace buffet
