// Book: which file is at which name of a group, and what was written to it, as the one who does it
// knows. It is worked out from the list of what he did, so that it can be worked out a second time
// with the kept file at a name, at a moment when he could not know.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mutate {

inline constexpr std::size_t kNames = 3;  // of a group; the first is kept

using Nanoseconds = std::int64_t;
inline Nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// What was done to a name, and when.
struct Op {
  enum class Kind : std::uint8_t { write, replace, move, exchange, end };
  Kind kind = Kind::write;
  std::size_t name = 0;
  std::size_t other = 0;      // of an exchange
  std::uint64_t version = 0;  // that was written
  Nanoseconds began = 0;
  Nanoseconds ended = 0;

  // It may have met another file at that name than the one it was meant for.
  [[nodiscard]] bool concerns(std::size_t that) const {
    if (kind == Kind::exchange && other == that) return true;
    return name == that && kind != Kind::replace && kind != Kind::end;
  }
  [[nodiscard]] std::string text() const {
    static constexpr const char* kKinds[] = {"write", "replace", "away and back", "exchange",
                                             "end"};
    std::string line = kKinds[static_cast<std::size_t>(kind)];
    line += " name " + std::to_string(name);
    if (kind == Kind::exchange) line += " and " + std::to_string(other);
    if (version != 0) line += ", version " + std::to_string(version);
    return line + ", till " + std::to_string(ended);
  }
};

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

// An op that may have met the kept file at a name.
struct Mishap {
  std::size_t op = 0;
  std::size_t name = 0;
  bool is_told = false;  // by the step, which failed
};

struct Book {
  std::array<int, kNames> at{0, 1, 2};  // index into files; -1: nothing that was written
  std::vector<Known> files;
  std::vector<Write> writes;
  Nanoseconds kept_ended = 0;  // when the kept file was replaced or removed; 0: never
  std::size_t order = 0;
  std::vector<int> aside;  // files that lost their name by a mishap; a step has said where they are
  std::size_t unseen = 0;  // mishaps of which no step can tell

  explicit Book(std::uint64_t version) : files(kNames, Known{.version = version}) {}
  Book(std::uint64_t version, const std::vector<Op>& ops, const std::vector<Mishap>& mishaps)
      : Book(version) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto mishap = std::ranges::find(mishaps, i, &Mishap::op);
      if (mishap == mishaps.end()) {
        enter(ops[i]);
      } else {
        enter(ops[i], mishap->name);
      }
    }
  }

  void enter(const Op& op) {
    switch (op.kind) {
      case Op::Kind::write:
        write(op);
        break;
      case Op::Kind::replace:
        if (at[op.name] == 0) kept_ended = op.ended;
        files.push_back({.is_first = false, .version = op.version, .order = ++order});
        at[op.name] = static_cast<int>(files.size()) - 1;
        break;
      case Op::Kind::move:
        break;
      case Op::Kind::exchange:
        std::swap(at[op.name], at[op.other]);
        break;
      case Op::Kind::end:
        if (at[op.name] == 0) kept_ended = op.ended;
        at[op.name] = -1;
    }
  }

  // The same while the kept file is at the name `taken`, and what he thinks is there is put back
  // right afterwards, if the name is still to be had.
  void enter(const Op& op, std::size_t taken) {
    const int displaced = std::exchange(at[taken], 0);
    const bool is_one_file = op.kind == Op::Kind::exchange && at[op.name] == at[op.other];
    if (!is_one_file) enter(op);
    if (is_one_file) ++unseen;
    if (is_one_file || op.kind == Op::Kind::write) {
      at[taken] = displaced;
    } else if (displaced >= 0) {
      aside.push_back(displaced);
    }
  }

 private:
  // A file that came to a name behind our back is nobody's.
  void write(const Op& op) {
    const int file = at[op.name];
    if (file < 0) return;
    files[static_cast<std::size_t>(file)].version = op.version;
    files[static_cast<std::size_t>(file)].order = ++order;
    writes.push_back({.version = op.version,
                      .order = order,
                      .first = static_cast<std::size_t>(file) < kNames ? file : -1,
                      .ended = op.ended});
  }
};

}  // namespace mutate
