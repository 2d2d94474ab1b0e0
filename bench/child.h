#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace bench {

/// Does the work in a separate process, which may print; returns the peak memory of this process in
/// megabytes.
template <class Work>
double peak_of_child(Work work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no second process");
  if (child == 0) {
    work();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  rusage usage;
  wait4(child, &status, 0, &usage);
  if (status != 0) throw std::runtime_error("the second process failed");
  return usage.ru_maxrss * 1024.0 / 1e6;
}

}  // namespace bench
