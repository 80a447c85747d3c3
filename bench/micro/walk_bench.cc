// What the parallel walk costs: walk::sweep() over a tree, beside a bare loop of two threads that
// does nothing but openat, getdents64 and statx, and bfs printing the sizes.
//
//   walk_bench FOLDER [ROUNDS]            all in turn, and the ratios
//   walk_bench --once bare|sweep FOLDER   one walk, to be timed from outside; prints what it saw
//
// The tree is walked warm; the first round is thrown away. All must see the same number of files.
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/micro/machine.h"
#include "bench/micro/measure.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/io/walk/sweep.h"

namespace tidemill::bench {
namespace {

constexpr std::size_t kThreads = 2;

struct Sum {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// The bare loop: one list of folders behind one lock, each opened from its parent.
class BareWalk {
 public:
  Sum run(const std::string& root) {
    list_.push_back({nullptr, root});
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([this] { work(); });
    }
    return {.files = files_, .bytes = bytes_};
  }

 private:
  struct Pending {
    std::shared_ptr<Descriptor> parent;
    std::string name;
  };

  void work() {
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
    std::vector<Pending> found;
    Sum sum;
    while (true) {
      Pending next;
      {
        std::unique_lock held(mutex_);
        list_.insert(list_.end(), std::move_iterator(found.begin()),
                     std::move_iterator(found.end()));
        if (!found.empty()) changed_.notify_one();
        found.clear();
        ++idle_;
        if (list_.empty() && idle_ == kThreads) changed_.notify_all();
        changed_.wait(held, [&] { return !list_.empty() || idle_ == kThreads; });
        if (list_.empty()) break;
        --idle_;
        next = std::move(list_.back());
        list_.pop_back();
      }
      read(next, buffer.get(), found, sum);
    }
    files_ += sum.files;
    bytes_ += sum.bytes;
  }

  static void read(const Pending& next, char* buffer, std::vector<Pending>& found, Sum& sum) {
    const auto folder = std::make_shared<Descriptor>(
        ::openat(next.parent ? next.parent->number() : AT_FDCWD, next.name.c_str(),
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder->is_open()) return;
    for (long got = 0; (got = ::getdents64(folder->number(), buffer, kBuffer)) > 0;) {
      for (long at = 0; at < got;) {
        const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
        at += entry->d_reclen;
        const std::string_view name = entry->d_name;
        if (entry->d_type == DT_DIR && name != "." && name != "..") {
          found.push_back({folder, std::string(name)});
        } else if (entry->d_type == DT_REG) {
          struct statx seen;
          if (::statx(folder->number(), entry->d_name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                      STATX_BASIC_STATS, &seen) != 0) {
            continue;
          }
          ++sum.files;
          sum.bytes += seen.stx_size;
        }
      }
    }
  }

  static constexpr std::size_t kBuffer = std::size_t{256} * 1024;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Pending> list_;
  std::size_t idle_ = 0;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

class Adder final : public walk::SweepListener {
 public:
  bool folder(walk::SweptFolder& folder) override {
    Sum& sum = sums_[folder.worker];
    for (const walk::SweptFile& file : folder.files) {
      if (file.decision != walk::SweepDecision::taken) continue;
      ++sum.files;
      sum.bytes += file.stamp.size;
    }
    return true;
  }
  void failure(walk::FolderId, std::uint64_t, int) override {}

  [[nodiscard]] Sum sum() const {
    return {.files = sums_[0].files + sums_[1].files, .bytes = sums_[0].bytes + sums_[1].bytes};
  }

 private:
  Sum sums_[kThreads];
};

Sum swept(const std::string& root) {
  walk::FolderTree tree;
  Adder adder;
  if (!walk::sweep({root}, {.threads = kThreads}, tree, adder, {})) broken("the sweep failed");
  return adder.sum();
}

Nanoseconds children_cpu() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

Cost of_bfs(const std::string& root) {
  const std::string command = "bfs '" + root + "' -type f -printf '%s\\n' > /dev/null";
  const Nanoseconds cpu = children_cpu();
  const Stopwatch watch;
  if (std::system(command.c_str()) != 0) broken("bfs failed");
  return {.cpu = children_cpu() - cpu, .wall = watch.elapsed().wall};
}

template <class Walk>
Cost timed(Walk walk, const Sum& expected) {
  const Stopwatch watch;
  const Sum sum = walk();
  const Cost cost = watch.elapsed();
  if (sum.files != expected.files || sum.bytes != expected.bytes) broken("another sum of files");
  return cost;
}

void print(const Entrant& entrant, const Entrant& ours, std::uint64_t files) {
  const auto count = static_cast<double>(files);
  std::printf(
      "  %-22s cpu %7.0f (min %7.0f)  wall %7.0f (min %7.0f)   ours/it %.2f cpu %.2f wall\n",
      entrant.name.c_str(), median(entrant.cpu()) / count, percentile(entrant.cpu(), 0) / count,
      median(entrant.wall()) / count, percentile(entrant.wall(), 0) / count,
      median(ratios(ours.cpu(), entrant.cpu())), median(ratios(ours.wall(), entrant.wall())));
}

int once(std::string_view who, const std::string& root) {
  const Sum sum = who == "bare" ? BareWalk().run(root) : swept(root);
  std::printf("%llu files %llu bytes\n", static_cast<unsigned long long>(sum.files),
              static_cast<unsigned long long>(sum.bytes));
  return sum.files > 0 ? 0 : 1;
}

int run(const std::string& root, std::size_t rounds) {
  const Sum expected = BareWalk().run(root);
  std::printf("walk_bench: %s, %zu rounds, load %s\n", root.c_str(), rounds,
              load_average().c_str());
  std::printf("%llu files; nanoseconds a file, median\n",
              static_cast<unsigned long long>(expected.files));
  if (expected.files == 0) broken("there is no file");
  std::vector<Entrant> entrants{
      {.name = "sweep", .run = [&] { return timed([&] { return swept(root); }, expected); }},
      {.name = "bare loop",
       .run = [&] { return timed([&] { return BareWalk().run(root); }, expected); }}};
  if (std::system("bfs --version > /dev/null 2>&1") == 0) {
    entrants.push_back({.name = "bfs -printf %s", .run = [&] { return of_bfs(root); }});
  }
  SeededDice dice(20240229);
  play(entrants, rounds, dice);
  for (const Entrant& entrant : entrants) print(entrant, entrants.front(), expected.files);
  return 0;
}

}  // namespace
}  // namespace tidemill::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--once" && (words[1] == "bare" || words[1] == "sweep")) {
    return tidemill::bench::once(words[1], argv[3]);
  }
  std::size_t rounds = 9;
  const std::string_view number = words.size() == 2 ? words[1] : "9";
  const auto [end, error] = std::from_chars(number.begin(), number.end(), rounds);
  if (words.empty() || words.size() > 2 || words[0].starts_with("--") || error != std::errc() ||
      end != number.end() || rounds == 0) {
    std::fprintf(stderr,
                 "usage: walk_bench FOLDER [ROUNDS]\n"
                 "       walk_bench --once bare|sweep FOLDER\n");
    return 2;
  }
  return tidemill::bench::run(argv[1], rounds);
}
