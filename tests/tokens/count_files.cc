// Counts the tokens of files, for compare.py.
//
// usage: count_files [--parts SEED] TABLES TOKENIZER… < LIST
//
// LIST: paths, NUL separated. For each a line of counts, one for each tokenizer, in the order of
// the list (so names never have to be printed). TABLES: the folder of the installed tables. With
// --parts a file is fed in parts of 1 to 5,000 bytes by chance, and must count the same.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace {

using tidemill::Descriptor;
using tidemill::tokens::TokenCounter;
using tidemill::tokens::Tokenizer;

class Parts {
 public:
  explicit Parts(std::uint64_t seed) : dice_(seed), is_on_(seed != 0) {}
  [[nodiscard]] std::size_t next(std::size_t left) {
    if (!is_on_) return left;
    const bool is_small = std::uniform_int_distribution(0, 3)(dice_) > 0;
    return std::min<std::size_t>(
        left, std::uniform_int_distribution<std::size_t>(1, is_small ? 40 : 5000)(dice_));
  }

 private:
  std::mt19937_64 dice_;
  bool is_on_;
};

void feed(TokenCounter& counter, std::string_view bytes, Parts& parts) {
  while (!bytes.empty()) {
    const std::size_t size = parts.next(bytes.size());
    counter.feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

bool count_file(const std::string& path, std::span<const std::unique_ptr<TokenCounter>> counters,
                Parts& parts) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return false;
  std::vector<char> buffer(std::size_t{64} << 10U);
  for (;;) {
    const ssize_t size = ::read(file.number(), buffer.data(), buffer.size());
    if (size < 0) return false;
    if (size == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    for (const auto& counter : counters) feed(*counter, bytes, parts);
  }
  for (const auto& counter : counters) {
    std::cout << counter->finish() << (&counter == &counters.back() ? '\n' : '\t');
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::uint64_t seed = 0;
  if (words.size() > 1 && words[0] == "--parts") {
    seed = std::strtoull(words[1].c_str(), nullptr, 10);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() < 2) {
    std::fputs("usage: count_files [--parts SEED] TABLES TOKENIZER... < LIST\n", stderr);
    return 2;
  }
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  std::vector<std::unique_ptr<TokenCounter>> counters;
  for (const std::string& name : std::span(words).subspan(1)) {
    auto tokenizer = tidemill::tokens::open_tokenizer(name, words[0]);
    if (!tokenizer) {
      std::fprintf(stderr, "count_files: %s\n", text_of(tokenizer.error()).c_str());
      return 1;
    }
    tokenizers.push_back(*std::move(tokenizer));
    counters.push_back(tokenizers.back()->counter());
  }
  Parts parts(seed);
  for (std::string path; std::getline(std::cin, path, '\0');) {
    if (count_file(path, counters, parts)) continue;
    std::perror(path.c_str());
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
