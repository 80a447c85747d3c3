// How fast tokens are counted: one thread, texts in memory, CPU time.
//
//   tokens_bench TABLES LIST [ROUNDS]            all texts below, both encodings
//   tokens_bench --passes TABLES LIST TOKENIZER  two passes over the files: for macro/tokens.py
//
// TABLES: the folder of the tables; LIST: a file with paths, NUL separated. Cycles are CPU time
// times the rate of the time stamp counter, so they do not know about frequencies that change.
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/micro/machine.h"
#include "bench/micro/measure.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace tidemill {
namespace {

using bench::Nanoseconds;
using Texts = std::vector<std::string>;

constexpr std::size_t kPart = std::size_t{64} << 10U;  // as a program that reads files would feed
constexpr std::size_t kLongPiece = 1'000'000;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) bench::broken("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Texts files_of(const std::string& list) {
  Texts texts;
  std::ifstream paths(list, std::ios::binary);
  for (std::string path; std::getline(paths, path, '\0');) texts.push_back(contents_of(path));
  if (texts.empty()) bench::broken("no files in " + list);
  return texts;
}

std::size_t size_of(const Texts& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) size += text.size();
  return size;
}

// UTF-8 of a character below U+10000 and above U+0800.
std::string wide(unsigned code) {
  return {static_cast<char>(0xe0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 0x3fU)),
          static_cast<char>(0x80U | (code & 0x3fU))};
}

template <class Next>
Texts one_text(Next next) {
  std::string text;
  while (text.size() < kLongPiece) text += next();
  return {text};
}

struct Scenario {
  const char* name;
  Texts texts;
  double goal;  // MB/s on an idle core; 0: none
};

std::vector<Scenario> scenarios(const std::string& list) {
  std::mt19937 dice(1);  // NOLINT: the same texts in every run
  const auto below = [&](unsigned n) { return static_cast<unsigned>(dice() % n); };
  std::vector<Scenario> all;
  all.push_back({"files", files_of(list), 120});
  all.push_back({"1 MB of 'a'", one_text([] { return "a"; }), 20});
  all.push_back({"1 MB of random letters",
                 one_text([&] { return std::string(1, static_cast<char>('a' + below(26))); }), 20});
  all.push_back({"1 MB of random Han", one_text([&] { return wide(0x4e00 + below(20'000)); }), 20});
  all.push_back({"1 MB of blanks", one_text([] { return " "; }), 20});
  all.push_back({"1 MB of blanks, line ends",
                 one_text([&] { return std::string(1, " \n\t  \r"[below(6)]); }), 20});
  all.push_back({"1 MB of '='", one_text([] { return "="; }), 20});
  all.push_back({"1 MB of random bytes",
                 one_text([&] { return std::string(1, static_cast<char>(below(256))); }), 0});
  return all;
}

struct Pass {
  Nanoseconds cpu{0};
  std::uint64_t tokens = 0;
};

Pass pass_over(const Texts& texts, tokens::TokenCounter& counter) {
  const Nanoseconds before = bench::process_cpu();
  Pass pass;
  for (const std::string& text : texts) {
    for (std::string_view rest = text; !rest.empty();) {
      counter.feed(rest.substr(0, kPart));
      rest.remove_prefix(std::min(kPart, rest.size()));
    }
    pass.tokens += counter.finish();
  }
  pass.cpu = bench::process_cpu() - before;
  return pass;
}

std::unique_ptr<tokens::Tokenizer> open(const std::string& name, const std::string& tables) {
  auto tokenizer = tokens::open_tokenizer(name, tables);
  if (!tokenizer) bench::broken(text_of(tokenizer.error()));
  return *std::move(tokenizer);
}

// Ticks of the time stamp counter in a nanosecond.
double tick_rate() {
  const auto wall = std::chrono::steady_clock::now();
  const std::uint64_t ticks = __rdtsc();
  while (std::chrono::steady_clock::now() - wall < std::chrono::milliseconds(50)) {
  }
  const Nanoseconds elapsed = std::chrono::steady_clock::now() - wall;
  return static_cast<double>(__rdtsc() - ticks) / elapsed.count();
}

void measure(const Scenario& scenario, const tokens::Tokenizer& tokenizer, std::size_t rounds,
             double ticks) {
  const auto bytes = static_cast<double>(size_of(scenario.texts));
  const auto counter = tokenizer.counter();
  const Pass first = pass_over(scenario.texts, *counter);
  std::vector<double> rates;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Pass pass = pass_over(scenario.texts, *counter);
    if (pass.tokens != first.tokens) bench::broken("counts differ between passes");
    rates.push_back(bytes * 1'000 / pass.cpu.count());
  }
  const double median = bench::median(rates);
  const double best = *std::ranges::max_element(rates);
  std::printf("  %-12s %-27s %8.1f %8.1f %8.1f %9.2f %12llu %s\n",
              std::string(tokenizer.name()).c_str(), scenario.name,
              bytes * 1'000 / first.cpu.count(), median, best, 1'000 / median * ticks,
              static_cast<unsigned long long>(first.tokens),
              scenario.goal == 0      ? ""
              : best >= scenario.goal ? "ok"
                                      : "MISS");
  std::fflush(stdout);
}

void run_all(const std::string& tables, const std::string& list, std::size_t rounds) {
  const bench::Flags flags{.rounds = rounds};
  bench::print_machine("tokens_bench", flags, {});
  const double ticks = tick_rate();
  const std::vector<Scenario> all = scenarios(list);
  std::printf("  files: %zu, %.1f MB; time stamp counter %.2f GHz\n", all[0].texts.size(),
              static_cast<double>(size_of(all[0].texts)) / 1e6, ticks);
  std::printf("  %-12s %-27s %8s %8s %8s %9s %12s\n", "MB/s by CPU", "", "first", "median", "best",
              "cycles/B", "tokens");
  for (const char* name : {"cl100k_base", "o200k_base"}) {
    const auto tokenizer = open(name, tables);
    for (const Scenario& scenario : all) measure(scenario, *tokenizer, rounds, ticks);
  }
  std::printf(
      "  ok, MISS: the best round against the goal for an idle core (120 MB/s of files, 20 "
      "MB/s of one piece)\n  load %s at the end\n",
      bench::load_average().c_str());
}

void run_passes(const std::string& tables, const std::string& list, const std::string& name) {
  const auto tokenizer = open(name, tables);
  const Texts texts = files_of(list);
  const auto counter = tokenizer->counter();
  const Pass first = pass_over(texts, *counter);
  const Pass second = pass_over(texts, *counter);
  std::printf("{\"bytes\":%zu,\"tokens\":%llu,\"first\":%.6f,\"second\":%.6f}\n", size_of(texts),
              static_cast<unsigned long long>(second.tokens), first.cpu.count() / 1e9,
              second.cpu.count() / 1e9);
}

}  // namespace
}  // namespace tidemill

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "--passes") {
    tidemill::run_passes(words[1], words[2], words[3]);
    return 0;
  }
  std::size_t rounds = 9;
  if (words.size() < 2 || words.size() > 3 ||
      (words.size() == 3 && (!tidemill::bench::read_number(words[2], rounds) || rounds == 0))) {
    std::fputs("usage: tokens_bench TABLES LIST [ROUNDS]\n", stderr);
    return 2;
  }
  tidemill::run_all(words[0], words[1], rounds);
  return 0;
}
