#define CATCH_CONFIG_RUNNER
#include <testthat/vendor/catch.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> failed_titles;
std::size_t passed = 0;

struct Tally : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.testCases.failed > 0)
      failed_titles.push_back(stats.testInfo.name);
    else
      ++passed;
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(Tally)

int main(int argc, char* argv[]) {
  const int result = Catch::Session().run(argc, argv);
  for (const auto& title : failed_titles) std::cout << "failed: " << title << "\n";
  std::cout << "cpp: " << passed << " passed, " << failed_titles.size() << " failed\n";
  return result != 0;
}
