#define CATCH_CONFIG_RUNNER
#include <testthat/vendor/catch.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

std::vector<std::string> failed_titles;
std::size_t passed = 0;
std::vector<std::pair<double, std::string>> seconds;  ///< processor time and name of each test

struct Tally : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override { start_ = std::clock(); }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const double spent = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    seconds.push_back({spent, stats.testInfo.name});
    if (stats.totals.testCases.failed > 0)
      failed_titles.push_back(stats.testInfo.name);
    else
      ++passed;
  }

 private:
  std::clock_t start_ = 0;
};

/// Writes the times to the file with this name.
void write_seconds(const char* file) {
  std::ofstream out(file);
  out << std::fixed;
  out.precision(1);
  for (const auto& [spent, title] : seconds) out << spent << "  " << title << "\n";
}

/// Part k of n of the tests, for "k/n", each with some tests from every file. The commas mean "or".
std::vector<std::string> names_of(const std::string& part) {
  const auto slash = part.find('/');
  const std::size_t k = std::stoul(part.substr(0, slash)), n = std::stoul(part.substr(slash + 1));
  const auto& tests = Catch::getRegistryHub().getTestCaseRegistry().getAllTests();
  std::vector<std::string> names;
  for (std::size_t i = k - 1; i < tests.size(); i += n)
    names.push_back('"' + tests[i].name + "\",");
  return names;
}

}  // namespace

CATCH_REGISTER_LISTENER(Tally)

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (session.applyCommandLine(argc, argv) != 0) return 1;
  if (const char* part = std::getenv("BUFFET_TEST_PART"))
    session.configData().testsOrTags = names_of(part);
  const int result = session.run();
  for (const auto& title : failed_titles) std::cout << "failed: " << title << "\n";
  std::cout << "cpp: " << passed << " passed, " << failed_titles.size() << " failed\n";
  if (const char* file = std::getenv("BUFFET_TEST_SECONDS")) write_seconds(file);
  return result != 0 || passed == 0;
}
