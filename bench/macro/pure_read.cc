// pure_read: what reading files costs at the least. Opens, reads and closes each file of a list,
// and does nothing with the bytes.
//
//   pure_read LIST THREADS     LIST: paths, each ended by a NUL
//
// Prints the number of files and of bytes. Files of less than 256 KiB cost one read: a short read
// is the end of a regular file, so none is spent on finding that out. Ends with 1 when a file could
// not be read: the figure would be no limit then.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/base/descriptor.h"

namespace {

constexpr std::size_t kBuffer = std::size_t{256} * 1024;
constexpr std::size_t kPortion = 16;  // files that a thread takes at once: neighbours in a folder

struct Sum {
  std::atomic<std::uint64_t> files = 0;
  std::atomic<std::uint64_t> bytes = 0;
};

// The paths lie in `list`, each before its NUL, so that they can be opened where they are.
std::vector<const char*> paths_in(const std::string& list) {
  std::vector<const char*> paths;
  for (std::size_t at = 0; at < list.size(); at = list.find('\0', at) + 1) {
    paths.push_back(list.data() + at);
  }
  return paths;
}

bool read_whole(const char* path, char* buffer, std::uint64_t& bytes) {
  const tidemill::Descriptor file(::open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open()) return false;
  ::ssize_t got = 0;
  do {
    got = ::read(file.number(), buffer, kBuffer);
    if (got > 0) bytes += static_cast<std::uint64_t>(got);
  } while (got == static_cast<::ssize_t>(kBuffer));
  return got >= 0;
}

void work(const std::vector<const char*>& paths, std::atomic<std::size_t>& next, Sum& sum) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  for (std::size_t at = next.fetch_add(kPortion); at < paths.size();
       at = next.fetch_add(kPortion)) {
    const std::size_t end = std::min(at + kPortion, paths.size());
    for (std::size_t i = at; i < end; ++i) files += read_whole(paths[i], buffer.get(), bytes);
  }
  sum.files += files;
  sum.bytes += bytes;
}

int run(const std::string& list, std::size_t threads) {
  const std::vector<const char*> paths = paths_in(list);
  std::atomic<std::size_t> next = 0;
  Sum sum;
  {
    std::vector<std::jthread> readers;
    for (std::size_t i = 0; i < threads; ++i) readers.emplace_back([&] { work(paths, next, sum); });
  }
  std::printf("%llu files %llu bytes\n", static_cast<unsigned long long>(sum.files),
              static_cast<unsigned long long>(sum.bytes));
  return sum.files == paths.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t threads = 0;
  if (argc == 3) {
    const std::string_view number = argv[2];
    const auto [end, error] = std::from_chars(number.begin(), number.end(), threads);
    if (error != std::errc() || end != number.end() || threads > 1024) threads = 0;
  }
  if (threads == 0) {
    std::fprintf(stderr, "usage: pure_read LIST THREADS\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string list(std::istreambuf_iterator<char>(file), {});
  if (!file || list.empty() || list.back() != '\0') {
    std::fprintf(stderr, "pure_read: %s: no list of paths, each ended by a NUL\n", argv[1]);
    return 1;
  }
  return run(list, threads);
}
