// Mutator: one thread that does to the files of its groups what programs do to files, and keeps the
// book of it. The contents of a file are its version, over and over, so that a torn one is seen.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "mutate_book.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/dice.h"

namespace mutate {

inline constexpr std::size_t kWords = 1024;  // of eight bytes in a file
inline constexpr std::uint64_t kNone = 0;    // no version: absent, a symlink, or torn

inline constexpr timespec kOld[2] = {{.tv_sec = 77, .tv_nsec = 7}, {.tv_sec = 77, .tv_nsec = 7}};

using Contents = std::array<std::uint64_t, kWords>;
inline Contents contents_of(std::uint64_t version) {
  Contents contents{};
  contents.fill(version);
  return contents;
}

inline void make_file(const std::string& path, std::uint64_t version) {
  const tidemill::Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const Contents contents = contents_of(version);
  (void)!::pwrite(file.number(), contents.data(), sizeof contents, 0);
  ::futimens(file.number(), kOld);
}

// The version a file holds, if it is whole.
inline std::uint64_t version_at(const std::string& path) {
  const tidemill::Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  Contents contents{};
  if (::read(file.number(), contents.data(), sizeof contents) != sizeof contents) return kNone;
  return contents == contents_of(contents[0]) ? contents[0] : kNone;
}

// One group: only one mutator touches it.
struct Group {
  std::uint64_t version = 0;              // of the contents all began with
  std::array<std::string, kNames> paths;  // names
  std::vector<Op> ops;
  Book book{0};

  void note(Op op) {
    op.ended = now();
    book.enter(op);
    ops.push_back(op);
  }
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

  void write_in_place(Group& group, std::size_t name) {
    if (group.book.at[name] < 0) return;
    const Nanoseconds began = now();
    const std::uint64_t how = dice_.next();
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (how % 2 == 0 ? O_NONBLOCK : 0);
    const tidemill::Descriptor file(::open(group.paths[name].c_str(), flags));
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
    group.note({.kind = Op::Kind::write, .name = name, .version = version, .began = began});
    pause();
  }

  void replace(Group& group, std::size_t name) {
    const std::uint64_t version = versions_.fetch_add(1);
    const std::string fresh = group.paths[name] + ".fresh";
    make_file(fresh, version);
    pause();
    const Nanoseconds began = now();
    if (::rename(fresh.c_str(), group.paths[name].c_str()) != 0) return;
    group.note({.kind = Op::Kind::replace, .name = name, .version = version, .began = began});
  }

  void away_and_back(Group& group, std::size_t name) {
    const std::string away = group.paths[name] + ".away";
    const Nanoseconds began = now();
    if (::rename(group.paths[name].c_str(), away.c_str()) != 0) return;
    pause();
    ::rename(away.c_str(), group.paths[name].c_str());
    group.note({.kind = Op::Kind::move, .name = name, .began = began});
  }

  static void exchange_names(Group& group, std::size_t one, std::size_t other) {
    if (one == other) return;
    const Nanoseconds began = now();
    if (::renameat2(AT_FDCWD, group.paths[one].c_str(), AT_FDCWD, group.paths[other].c_str(),
                    RENAME_EXCHANGE) == 0) {
      group.note({.kind = Op::Kind::exchange, .name = one, .other = other, .began = began});
    }
  }

  template <class End>
  void end(Group& group, std::size_t name, End end_at) {
    const Nanoseconds began = now();
    if (dice_.next() % 2 == 0 || !end_at(group.paths[name])) return;
    group.note({.kind = Op::Kind::end, .name = name, .began = began});
  }

  tidemill::SeededDice dice_;
  std::atomic<std::uint64_t>& versions_;
  std::atomic<std::uint64_t>& ops_;
};

}  // namespace mutate
