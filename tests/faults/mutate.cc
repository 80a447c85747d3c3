// mutate: lets `dupes` act on small trees while other threads do to the same files what programs do
// to files: rewrite them in place (by write, by a mapping, after a truncation, with the old times
// forged), replace them by a rename, rename them away and back, exchange their names, put symlinks
// in their place, remove them. Afterwards every version that was written last to a name must be at
// that name, and no step may have been done that a write before it forbade:
//
//   hardlink   no write to either file ended before the names were exchanged
//   delete     no write to either file, nor an end of the kept one, before the duplicate was
//              unlinked
//
//   mutate [--count N] [--seed N] [--folder PATH] [--expect-loss]
//
// Exit status: 0 nothing was lost, 1 something was; the other way round with --expect-loss, which
// is for a build with the checks left out (TIDEMILL_PLANT).
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/jobs/dupes/pair.h"

namespace {

using namespace tidemill;         // NOLINT: a program of one file
using namespace tidemill::dupes;  // NOLINT
namespace fs = std::filesystem;

constexpr std::size_t kGroups = 4;
constexpr std::size_t kNames = 3;  // of a group; the first is kept
constexpr std::size_t kMutators = 2;
constexpr std::size_t kOps = 10;
constexpr std::size_t kWords = 1024;  // of eight bytes in a file
constexpr std::uint64_t kNone = 0;    // no version: absent, a symlink, or torn

using Nanoseconds = std::int64_t;
Nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

constexpr timespec kOld[2] = {{.tv_sec = 77, .tv_nsec = 7}, {.tv_sec = 77, .tv_nsec = 7}};

using Contents = std::array<std::uint64_t, kWords>;
Contents contents_of(std::uint64_t version) {
  Contents contents{};
  contents.fill(version);
  return contents;
}

void make_file(const std::string& path, std::uint64_t version) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const Contents contents = contents_of(version);
  (void)!::pwrite(file.number(), contents.data(), sizeof contents, 0);
  ::futimens(file.number(), kOld);
}

// The version a file holds, if it is whole.
std::uint64_t version_at(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  Contents contents{};
  if (::read(file.number(), contents.data(), sizeof contents) != sizeof contents) return kNone;
  return contents == contents_of(contents[0]) ? contents[0] : kNone;
}

// A file as its writer knows it.
struct Known {
  bool is_first = true;       // from before the actions: they may have to do with it
  std::uint64_t version = 0;  // the last one written
  std::size_t order = 0;      // of that write in its group; 0: never written
};

struct Write {
  std::uint64_t version = 0;
  std::size_t order = 0;
  int first = -1;  // which of the first files; -1: another
  Nanoseconds ended = 0;
};

// One group: only one mutator touches it.
struct Group {
  std::uint64_t version = 0;              // of the contents all began with
  std::array<std::string, kNames> paths;  // names
  std::array<int, kNames> at{0, 1, 2};    // index into files; -1: nothing that was written
  std::vector<Known> files;
  std::vector<Write> writes;
  Nanoseconds kept_ended = 0;  // when the kept file was replaced or removed; 0: never
  std::size_t order = 0;
};

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::atomic<std::uint64_t>& versions, std::atomic<std::uint64_t>& ops)
      : dice_(seed), versions_(versions), ops_(ops) {}

  void step(Group& group) {
    const std::size_t name = dice_.next() % kNames;
    switch (dice_.next() % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
        write_in_place(group, name);
        break;
      case 4:
      case 5:
        replace(group, name);
        break;
      case 6:
        away_and_back(group, name);
        break;
      case 7:
        exchange_names(group, name, dice_.next() % kNames);
        break;
      case 8:
        end(group, name, [&](const std::string& path) { return ::unlink(path.c_str()) == 0; });
        break;
      default:
        end(group, name, [&](const std::string& path) {
          const std::string link = path + ".link";
          return ::symlink("/etc/passwd", link.c_str()) == 0 &&
                 ::rename(link.c_str(), path.c_str()) == 0;
        });
    }
    ops_.fetch_add(1);
  }

 private:
  void pause() {
    for (std::uint64_t turns = dice_.next() % 4; turns > 0; --turns) ::sched_yield();
  }

  void note(Group& group, std::size_t name, std::uint64_t version) {
    const int file = group.at[name];
    if (file < 0) return;
    group.files[static_cast<std::size_t>(file)].version = version;
    group.files[static_cast<std::size_t>(file)].order = ++group.order;
    group.writes.push_back({.version = version,
                            .order = group.order,
                            .first = static_cast<std::size_t>(file) < kNames ? file : -1,
                            .ended = now()});
  }

  // A file that came to a name behind our back is nobody's.
  void write_in_place(Group& group, std::size_t name) {
    if (group.at[name] < 0) return;
    const std::uint64_t how = dice_.next();
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (how % 2 == 0 ? O_NONBLOCK : 0);
    const Descriptor file(::open(group.paths[name].c_str(), flags));
    if (!file.is_open()) return;
    pause();
    const std::uint64_t version = versions_.fetch_add(1);
    const Contents contents = contents_of(version);
    if (how / 2 % 3 == 0) {
      void* const map =
          ::mmap(nullptr, sizeof contents, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
      if (map == MAP_FAILED) return;
      *static_cast<Contents*>(map) = contents;
      ::munmap(map, sizeof contents);
    } else {
      if (how / 2 % 3 == 1) (void)!::ftruncate(file.number(), 0);
      if (::pwrite(file.number(), contents.data(), sizeof contents, 0) != sizeof contents) return;
    }
    if (how / 6 % 2 == 0) ::futimens(file.number(), kOld);
    note(group, name, version);
    pause();
  }

  void replace(Group& group, std::size_t name) {
    const std::uint64_t version = versions_.fetch_add(1);
    const std::string fresh = group.paths[name] + ".fresh";
    make_file(fresh, version);
    pause();
    if (::rename(fresh.c_str(), group.paths[name].c_str()) != 0) return;
    if (group.at[name] == 0) group.kept_ended = now();
    group.files.push_back({.is_first = false, .version = version, .order = ++group.order});
    group.at[name] = static_cast<int>(group.files.size()) - 1;
  }

  void away_and_back(Group& group, std::size_t name) {
    const std::string away = group.paths[name] + ".away";
    if (::rename(group.paths[name].c_str(), away.c_str()) != 0) return;
    pause();
    ::rename(away.c_str(), group.paths[name].c_str());
  }

  static void exchange_names(Group& group, std::size_t one, std::size_t other) {
    if (one == other) return;
    if (::renameat2(AT_FDCWD, group.paths[one].c_str(), AT_FDCWD, group.paths[other].c_str(),
                    RENAME_EXCHANGE) == 0) {
      std::swap(group.at[one], group.at[other]);
    }
  }

  template <class End>
  void end(Group& group, std::size_t name, End end_at) {
    if (dice_.next() % 2 == 0 || !end_at(group.paths[name])) return;
    if (group.at[name] == 0) group.kept_ended = now();
    group.at[name] = -1;
  }

  SeededDice dice_;
  std::atomic<std::uint64_t>& versions_;
  std::atomic<std::uint64_t>& ops_;
};

// What became of one step.
struct Outcome {
  std::size_t group = 0;
  std::size_t name = 0;
  Nanoseconds linked = 0;    // just before the exchange
  Nanoseconds verified = 0;  // just before the unlink
  bool is_done = false;
  bool has_failed = false;
};

class Game {
 public:
  Game(std::string folder, std::uint64_t seed) : folder_(std::move(folder)), dice_(seed) {}

  // Says what was lost; nothing: all is well.
  std::vector<std::string> play() {
    set_up();
    std::vector<std::jthread> threads;
    std::atomic<bool> is_started = false;
    for (std::size_t i = 0; i < kMutators; ++i) {
      threads.emplace_back([this, i, &is_started, seed = dice_.next()] {
        Mutator mutator(seed, versions_, ops_);
        SeededDice dice(seed + 1);
        while (!is_started.load()) ::sched_yield();
        for (std::size_t op = 0; op < kOps; ++op) {
          mutator.step(groups_[i + kMutators * (dice.next() % (kGroups / kMutators))]);
          for (std::uint64_t turns = dice.next() % 8; turns > 0; --turns) ::sched_yield();
        }
      });
    }
    act(is_started);
    threads.clear();
    check();
    return std::move(findings_);
  }

  std::uint64_t done = 0;
  std::uint64_t declined = 0;
  std::uint64_t failed = 0;

 private:
  void set_up() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/a");
    fs::create_directories(folder_ + "/b");
    constexpr Action kActions[] = {Action::hardlink, Action::remove, Action::hardlink,
                                   Action::move};
    action_ = kActions[dice_.next() % 4];
    for (std::size_t g = 0; g < kGroups; ++g) {
      Group& group = groups_[g];
      group.version = versions_.fetch_add(1);
      for (std::size_t n = 0; n < kNames; ++n) {
        group.paths[n] = folder_ + (n == 1 ? "/b/" : "/a/") + std::to_string(g * 10 + n);
        make_file(group.paths[n], group.version);
        group.files.push_back({.version = group.version});
      }
    }
  }

  Step step(std::size_t g, std::size_t n) {
    Step step{.action = action_,
              .kept = site_of(groups_[g].paths[0], folder_),
              .duplicate = site_of(groups_[g].paths[n], folder_)};
    step.kept_stamp = stamp_of(*look_at(AT_FDCWD, groups_[g].paths[0]));
    step.stamp = stamp_of(*look_at(AT_FDCWD, groups_[g].paths[n]));
    step.target = site_of(folder_ + "/moved/" + std::to_string(g * 10 + n), folder_ + "/moved");
    return step;
  }

  // As the bench does it: halves of many pairs with one sync between, or each pair by itself.
  void act(std::atomic<bool>& is_started) {
    Places places = Places::from("").value();
    Comparer comparer = Comparer::make().value();
    std::vector<Step> steps;
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t n = 1; n < kNames; ++n) {
        steps.push_back(step(g, n));
        outcomes_.push_back({.group = g, .name = n});
      }
    }
    std::size_t at = 0;
    // Others get time before the exchange or after it, not both in one game: to hit both sides of
    // the way back is what pair.h leaves to chance.
    const Moment narrow = dice_.next() % 2 == 0 ? Moment::poised : Moment::displaced;
    const auto hook = [&](Moment moment) {
      if (moment != narrow) give_way();
      if (moment == Moment::poised) outcomes_[at].linked = now();
      if (moment == Moment::verified) outcomes_[at].verified = now();
    };
    const PairTools tools{.places = places, .comparer = comparer, .mark = "mutate", .hook = hook};
    const bool is_alone = dice_.next() % 2 == 0;
    std::vector<std::pair<std::size_t, Displaced>> lying;
    const auto clear = [&] {
      for (auto& [index, pair] : lying) (void)sync_folder(pair.duplicate.folder->number());
      for (auto& [index, pair] : lying) {
        at = index;
        count(index, settle(tools, pair));
      }
      lying.clear();
    };
    is_started.store(true);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      at = i;
      give_way();
      auto ready = prepare(tools, steps[i]);
      auto pair = ready ? begin(tools, *std::move(ready), i + 1)
                        : Tried<Displaced>(std::unexpected(ready.error()));
      if (!pair) {
        count(i, std::unexpected(pair.error()));
        continue;
      }
      lying.emplace_back(i, *std::move(pair));
      if (is_alone || !lying.back().second.duplicate.is_leased()) clear();
    }
    clear();
  }

  void count(std::size_t index, const Tried<Step>& answer) {
    Outcome& outcome = outcomes_[index];
    outcome.is_done = answer.has_value();
    outcome.has_failed = !answer && answer.error().kind == Refusal::Kind::failed;
    ++(outcome.is_done ? done : outcome.has_failed ? failed : declined);
    if (outcome.has_failed) std::fprintf(stderr, "failed: %s\n", answer.error().reason.c_str());
  }

  // Lets the others do something, now and then; not for long, for they may wait for us.
  void give_way() {
    if (dice_.next() % 3 != 0) return;
    const std::uint64_t before = ops_.load();
    for (int turns = 0; turns < 50 && ops_.load() == before; ++turns) ::sched_yield();
  }

  void find(std::string_view what, std::size_t g, std::size_t n) {
    findings_.push_back(std::string(what) + ", " + std::string(type_of(action_)) + " of " +
                        groups_[g].paths[n]);
  }

  [[nodiscard]] const Outcome* outcome_of(std::size_t g, std::size_t n) const {
    for (const Outcome& outcome : outcomes_) {
      if (outcome.group == g && outcome.name == n) return &outcome;
    }
    return nullptr;
  }

  void check() {
    for (const Outcome& outcome : outcomes_) {
      if (outcome.is_done) check_step(outcome);
    }
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t n = 0; n < kNames; ++n) check_name(g, n);
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const bool is_stray = entry.path().filename().native().starts_with(".tidemill");
      if (is_stray && failed == 0) findings_.push_back("left over: " + entry.path().native());
    }
  }

  void check_step(const Outcome& outcome) {
    const Group& group = groups_[outcome.group];
    if (action_ != Action::hardlink) return;
    for (const Write& write : group.writes) {
      const bool concerns = write.first == 0 || write.first == static_cast<int>(outcome.name);
      if (concerns && write.ended < outcome.linked) {
        find("linked although it was written to", outcome.group, outcome.name);
      }
    }
  }

  void check_name(std::size_t g, std::size_t n) {
    const Group& group = groups_[g];
    if (group.at[n] < 0) return;
    const auto file = static_cast<std::size_t>(group.at[n]);
    const Known& known = group.files[file];
    const std::uint64_t there = version_at(group.paths[n]);
    if (there == known.version) return;
    const Outcome* const outcome = known.is_first ? outcome_of(g, file) : nullptr;
    if (known.is_first && action_ == Action::hardlink) {
      for (const Write& write : group.writes) {  // by another name of the same file, later
        if (write.version == there && write.first >= 0 && write.order > known.order) return;
      }
    }
    const bool is_removed = outcome != nullptr && outcome->is_done && known.order == 0;
    if (action_ == Action::remove && is_removed && has_survived(group, outcome->verified)) return;
    if (action_ == Action::move && outcome != nullptr && outcome->is_done) {
      const std::string moved = folder_ + "/moved/" + std::to_string(g * 10 + file);
      if (version_at(moved) == known.version) return;
    }
    if (is_left_somewhere(g, known.version)) return;
    find("the last version (" + std::to_string(known.version) + ", there is " +
             std::to_string(there) + ") is lost",
         g, n);
  }

  // A step of the group failed, and said where what it could not put back is left: then it is
  // enough that the version is there.
  [[nodiscard]] bool is_left_somewhere(std::size_t g, std::uint64_t version) const {
    bool has_failed = false;
    for (const Outcome& outcome : outcomes_) has_failed |= outcome.group == g && outcome.has_failed;
    if (!has_failed) return false;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (version_at(entry.path()) == version) return true;
    }
    return false;
  }

  // The kept file has the bytes, or lost them by a write or an end after the duplicate went.
  static bool has_survived(const Group& group, Nanoseconds unlinked) {
    if (group.kept_ended != 0 && group.kept_ended < unlinked) return false;
    for (const Write& write : group.writes) {
      if (write.first == 0 && write.ended < unlinked) return false;
    }
    return true;
  }

  std::string folder_;
  SeededDice dice_;
  Action action_ = Action::hardlink;
  std::atomic<std::uint64_t> versions_ = 1;
  std::atomic<std::uint64_t> ops_ = 0;
  std::array<Group, kGroups> groups_;
  std::vector<Outcome> outcomes_;
  std::vector<std::string> findings_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t count = 1'000;
  std::uint64_t seed = 1;
  bool expects_loss = false;
  std::string folder = fs::temp_directory_path();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--expect-loss") expects_loss = true;
    if (word == "--count") count = std::strtoull(value, nullptr, 10);
    if (word == "--seed") seed = std::strtoull(value, nullptr, 10);
    if (word == "--folder") folder = value;
  }
  folder += "/mutate-" + std::to_string(::getpid());
  std::uint64_t done = 0;
  std::uint64_t declined = 0;
  std::uint64_t failed = 0;
  std::uint64_t lost = 0;
  std::uint64_t played = 0;
  while (played < count && (lost == 0 || !expects_loss)) {
    Game game(folder, seed + played++);
    for (const std::string& finding : game.play()) {
      ++lost;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed + played - 1),
                  finding.c_str());
    }
    done += game.done;
    declined += game.declined;
    failed += game.failed;
  }
  fs::remove_all(folder);
  std::printf("%llu interleavings: %llu steps done, %llu declined, %llu failed; %llu findings\n",
              static_cast<unsigned long long>(played), static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(declined), static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(lost));
  return (lost == 0) == expects_loss ? 1 : 0;
}
