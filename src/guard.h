#pragma once

#include <Rcpp.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "inference/chains.h"

namespace buffet {

/// Asks R about interrupts, from R's thread and twenty times a second at most; tells all threads.
class Guard {
 public:
  explicit Guard(const Rcpp::Function& stop) : stop_(stop), home_(std::this_thread::get_id()) {}

  void operator()() {
    if (std::this_thread::get_id() == home_ &&
        Clock::now() - asked_ > std::chrono::milliseconds(50)) {
      if (Rcpp::as<bool>(stop_())) stopping_ = true;
      asked_ = Clock::now();
    }
    if (stopping_) throw Stopped();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Rcpp::Function stop_;
  std::thread::id home_;
  std::atomic<bool> stopping_{false};
  Clock::time_point asked_ = Clock::now();
};

}  // namespace buffet
