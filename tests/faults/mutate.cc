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
// pair.h names what is left to chance: for a moment the duplicate's name is the kept file's, and
// when what was displaced has to go back, whoever did something to the name in that moment did it
// to the kept file. Such mishaps are counted and are no findings, but only when the op was under
// way in that very time, the step did put back and said so, and all that is there is as it must be
// if that op met the kept file. (One of them no step can tell: the exchange of two names that are
// one file.)
//
//   mutate [--count N] [--seed N] [--folder PATH] [--expect-loss]
//
// Exit status: 0 nothing was lost, 1 something was; the other way round with --expect-loss, which
// is for a build with the checks left out (TIDEMILL_PLANT).
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "mutate_book.h"
#include "mutator.h"
#include "tidemill/base/dice.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace {

using namespace tidemill;         // NOLINT: a program of one file
using namespace tidemill::dupes;  // NOLINT
using namespace mutate;           // NOLINT
namespace fs = std::filesystem;

constexpr std::size_t kGroups = 4;
constexpr std::size_t kMutators = 2;
constexpr std::size_t kOps = 10;

// What became of one step.
struct Outcome {
  std::size_t group = 0;
  std::size_t name = 0;
  Nanoseconds linked = 0;     // just before the exchange
  Nanoseconds displaced = 0;  // just after it
  Nanoseconds verified = 0;   // just before the unlink
  Nanoseconds ended = 0;
  bool is_done = false;
  bool has_failed = false;
  std::string reason{};
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
  std::uint64_t met = 0;  // mishaps

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
      }
      group.book = Book(group.version);
    }
  }

  PlanStep step(std::size_t g, std::size_t n) {
    PlanStep step{.action = action_,
                  .kept = site_of(groups_[g].paths[0], folder_),
                  .duplicate = site_of(groups_[g].paths[n], folder_)};
    step.kept_stamp = stamp_of(*look_at(AT_FDCWD, groups_[g].paths[0]));
    step.stamp = stamp_of(*look_at(AT_FDCWD, groups_[g].paths[n]));
    step.target = site_of(folder_ + "/moved/" + std::to_string(g * 10 + n), folder_ + "/moved");
    return step;
  }

  // As the bench does it: halves of many pairs with one sync between, or each pair by itself.
  void act(std::atomic<bool>& is_started) {
    PairPlaces places = PairPlaces::from("").value();
    Comparer comparer = Comparer::make().value();
    std::vector<PlanStep> steps;
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t n = 1; n < kNames; ++n) {
        steps.push_back(step(g, n));
        outcomes_.push_back({.group = g, .name = n});
      }
    }
    std::size_t at = 0;
    const auto hook = [&](HookPoint moment) {
      if (moment == HookPoint::displaced) outcomes_[at].displaced = now();
      give_way();
      if (moment == HookPoint::poised) outcomes_[at].linked = now();
      if (moment == HookPoint::verified) outcomes_[at].verified = now();
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

  void count(std::size_t index, const Tried<PlanStep>& answer) {
    Outcome& outcome = outcomes_[index];
    outcome.ended = now();
    outcome.is_done = answer.has_value();
    outcome.has_failed = !answer && answer.error().kind == Refusal::Kind::failed;
    ++(outcome.is_done ? done : outcome.has_failed ? failed : declined);
    if (!answer) outcome.reason = answer.error().reason;
  }

  // Lets the others do something, now and then; not for long, for they may wait for us.
  void give_way() {
    if (dice_.next() % 3 != 0) return;
    const std::uint64_t before = ops_.load();
    for (int turns = 0; turns < 50 && ops_.load() == before; ++turns) ::sched_yield();
  }

  [[nodiscard]] const Outcome* outcome_of(std::size_t g, std::size_t n) const {
    for (const Outcome& outcome : outcomes_) {
      if (outcome.group == g && outcome.name == n) return &outcome;
    }
    return nullptr;
  }

  void check() {
    for (std::size_t g = 0; g < kGroups; ++g) check_group(g);
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const bool is_stray = entry.path().filename().native().starts_with(".tidemill");
      if (is_stray && failed == 0) findings_.push_back("left over: " + entry.path().native());
    }
  }

  void check_group(std::size_t g) {
    const Group& group = groups_[g];
    auto findings = findings_of(g, group.book);
    if (findings.empty()) return;
    const std::vector<Mishap> suspects = mishaps_of(g);
    for (std::size_t set = 1; set < std::size_t{1} << suspects.size(); ++set) {
      std::vector<Mishap> mishaps;
      for (std::size_t i = 0; i < suspects.size(); ++i) {
        if ((set >> i & 1U) != 0) mishaps.push_back(suspects[i]);
      }
      const Book book(group.version, group.ops, mishaps);
      const auto told = static_cast<std::size_t>(std::ranges::count_if(mishaps, &Mishap::is_told));
      if (told + book.unseen < mishaps.size() || !findings_of(g, book).empty()) continue;
      met += mishaps.size();
      return;
    }
    findings.back() += history_of(g);
    findings_.insert(findings_.end(), findings.begin(), findings.end());
  }

  // Ops that were under way while a step had given their name to the kept file, before it put back
  // what it had displaced.
  [[nodiscard]] std::vector<Mishap> mishaps_of(std::size_t g) const {
    const std::vector<Op>& ops = groups_[g].ops;
    std::vector<Mishap> found;
    for (std::size_t i = 0; i < ops.size() && action_ == Action::hardlink; ++i) {
      for (const Outcome& outcome : outcomes_) {
        const bool is_put_back = outcome.group == g && outcome.displaced != 0 && !outcome.is_done;
        const bool is_meant = ops[i].concerns(outcome.name) && ops[i].ended >= outcome.linked &&
                              ops[i].began <= outcome.ended;
        if (!is_put_back || !is_meant) continue;
        found.push_back({.op = i, .name = outcome.name, .is_told = outcome.has_failed});
        break;
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<std::string> findings_of(std::size_t g, const Book& book) const {
    std::vector<std::string> findings;
    const auto find = [&](const std::string& what, std::size_t n) {
      findings.push_back(what + ", " + std::string(type_of(action_)) + " of " +
                         groups_[g].paths[n]);
    };
    for (const Outcome& outcome : outcomes_) {
      if (outcome.group == g && outcome.is_done && !is_good(outcome, book)) {
        find("linked although it was written to", outcome.name);
      }
    }
    for (const int file : book.aside) {
      const std::uint64_t version = book.files[static_cast<std::size_t>(file)].version;
      if (!is_left_somewhere(g, version)) find("what was displaced is lost", 0);
    }
    for (std::size_t n = 0; n < kNames; ++n) {
      if (book.at[n] < 0) continue;
      const auto file = static_cast<std::size_t>(book.at[n]);
      const std::uint64_t there = version_at(groups_[g].paths[n]);
      if (is_safe(g, file, book, there)) continue;
      find("the last version (" + std::to_string(book.files[file].version) + ", there is " +
               std::to_string(there) + ") is lost",
           n);
    }
    return findings;
  }

  [[nodiscard]] bool is_good(const Outcome& outcome, const Book& book) const {
    if (action_ != Action::hardlink) return true;
    return std::ranges::none_of(book.writes, [&](const Write& write) {
      const bool concerns = write.first == 0 || write.first == static_cast<int>(outcome.name);
      return concerns && write.ended < outcome.linked;
    });
  }

  // The last version of a file, at whose name another one is.
  [[nodiscard]] bool is_safe(std::size_t g, std::size_t file, const Book& book,
                             std::uint64_t there) const {
    const Known& known = book.files[file];
    if (there == known.version) return true;
    const Outcome* const outcome = known.is_first ? outcome_of(g, file) : nullptr;
    if (known.is_first && action_ == Action::hardlink) {
      for (const Write& write : book.writes) {  // by another name of the same file, later
        if (write.version == there && write.first >= 0 && write.order > known.order) return true;
      }
    }
    const bool is_removed = outcome != nullptr && outcome->is_done && known.order == 0;
    if (action_ == Action::remove && is_removed && has_survived(book, outcome->verified)) {
      return true;
    }
    if (action_ == Action::move && outcome != nullptr && outcome->is_done) {
      const std::string moved = folder_ + "/moved/" + std::to_string(g * 10 + file);
      if (version_at(moved) == known.version) return true;
    }
    return is_left_somewhere(g, known.version);
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
  static bool has_survived(const Book& book, Nanoseconds unlinked) {
    if (book.kept_ended != 0 && book.kept_ended < unlinked) return false;
    for (const Write& write : book.writes) {
      if (write.first == 0 && write.ended < unlinked) return false;
    }
    return true;
  }

  // Who did what and when, for whoever has to explain a finding.
  [[nodiscard]] std::string history_of(std::size_t g) const {
    std::multimap<Nanoseconds, std::string> lines;
    for (const Op& op : groups_[g].ops) lines.emplace(op.began, op.text());
    for (const Outcome& outcome : outcomes_) {
      if (outcome.group != g) continue;
      const std::string step = "    step of name " + std::to_string(outcome.name) + ": ";
      if (outcome.linked != 0) lines.emplace(outcome.linked, step + "displaces");
      if (outcome.displaced != 0) lines.emplace(outcome.displaced, step + "has displaced");
      lines.emplace(outcome.ended, step + (outcome.is_done ? "done" : outcome.reason));
    }
    std::string text;
    for (const auto& [time, line] : lines) text += "\n  " + std::to_string(time) + " " + line;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_directory()) continue;
      text += "\n  left: " + entry.path().native() + ", version " +
              std::to_string(version_at(entry.path()));
    }
    return text;
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
  std::uint64_t met = 0;
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
    met += game.met;
  }
  fs::remove_all(folder);
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%llu interleavings: %llu steps done, %llu declined, %llu failed, %llu ops met the kept file "
      "by chance; %llu findings\n",
      number(played), number(done), number(declined), number(failed), number(met), number(lost));
  return (lost == 0) == expects_loss ? 1 : 0;
}
