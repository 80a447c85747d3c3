#include "tidemill/io/walk/name_list.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/testing/eventually.h"

namespace tidemill::walk {
namespace {

using testing::eventually;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
  }
  void put(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t put = ::write(in.number(), text.data(), text.size());
      if (put < 0) return;
      text.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  Descriptor out;
  Descriptor in;
};

bool is_asleep(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  stat >> number >> name >> state;
  return state == "S";
}

struct Names {
  std::vector<std::string> names{};
  std::uint64_t blanks = 0;
};

Names all_of(int source, NameEnd end) {
  auto list = NameList::open(source, end);
  Names all;
  while (list) {
    const auto name = list->next({});
    EXPECT_TRUE(name.has_value());
    if (!name || !*name) break;
    all.names.emplace_back(**name);
  }
  EXPECT_EQ(list->count(), all.names.size());
  all.blanks = list->blanks();
  return all;
}

// Through a pipe, in the given pieces.
Names through_pipe(const std::vector<std::string>& pieces, NameEnd end) {
  Pipe pipe;
  const std::jthread writer([&] {
    for (const std::string& piece : pieces) pipe.put(piece);
    pipe.in.close();
  });
  return all_of(pipe.out.number(), end);
}

// A simple reference, byte by byte.
Names expected(const std::string& text, NameEnd end) {
  Names all;
  std::string name;
  const auto finish = [&] {
    if (name.empty() && end == NameEnd::newline) {
      ++all.blanks;
    } else {
      all.names.push_back(name);
    }
    name.clear();
  };
  for (const char c : text) {
    if (c == static_cast<char>(end)) {
      finish();
    } else {
      name += c;
    }
  }
  if (!name.empty()) finish();
  return all;
}

RC_GTEST_PROP(NameList, YieldsTheSameNamesHoweverTheInputIsSplit, ()) {
  const auto end = *rc::gen::element(NameEnd::newline, NameEnd::nul);
  const auto piece =
      rc::gen::container<std::string>(rc::gen::element('\n', '\0', '\r', 'a', ' ', '\x1b', '\xff'));
  auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  // Occasional long names, across block boundaries.
  if (*rc::gen::inRange(0, 10) == 0) {
    pieces.push_back(std::string(*rc::gen::inRange<std::size_t>(1, 3 * NameList::kBlock), 'x'));
    pieces.push_back(*piece);
  }
  std::string text;
  for (const std::string& one : pieces) text += one;
  const Names want = expected(text, end);
  const Names got = through_pipe(pieces, end);
  RC_ASSERT(got.names == want.names);
  RC_ASSERT(got.blanks == want.blanks);
}

TEST(NameList, ReadsManyNamesAcrossBlockBoundaries) {
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; text.size() < 4 * NameList::kBlock; ++i) {
    names.push_back(std::string(i % 300 + 1, 'n') + std::to_string(i));
    text += names.back() + '\n';
  }
  EXPECT_EQ(through_pipe({text}, NameEnd::newline).names, names);
}

TEST(NameList, AcceptsANameOfAHundredMegabytes) {
  const std::string line(100'000'000, 'l');
  const Names got = through_pipe({"a\n", line, "\nb"}, NameEnd::newline);
  ASSERT_EQ(got.names.size(), 3U);
  EXPECT_TRUE(got.names[1] == line);
  EXPECT_EQ(got.names[2], "b");
}

TEST(NameList, SkipsNamesForResumeAndKeepsCounting) {
  Pipe pipe;
  pipe.put("a\n\nb\nc\n");
  pipe.in.close();
  auto list = NameList::open(pipe.out.number(), NameEnd::newline);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->skip(2, {}), 2U);
  EXPECT_EQ(list->next({}), "c");
  EXPECT_EQ(list->count(), 3U);
  EXPECT_EQ(list->skip(5, {}), 0U);
  EXPECT_EQ(list->next({}), std::nullopt);
  EXPECT_EQ(list->next({}), std::nullopt);
}

TEST(NameList, ReturnsANameBeforeThePipeCloses) {
  Pipe pipe;
  pipe.put("now\nlater");
  auto list = NameList::open(pipe.out.number(), NameEnd::newline);
  EXPECT_EQ(list->next({}), "now");
}

TEST(NameList, StopInterruptsABlockedReadAndLosesNothing) {
  Pipe pipe;
  pipe.put("a\nunfinished");
  auto list = NameList::open(pipe.out.number(), NameEnd::newline);
  std::stop_source stop;
  ASSERT_EQ(list->next(stop.get_token()), "a");
  {
    const std::jthread stopper([&, reader = ::gettid()] {
      EXPECT_TRUE(eventually([&] { return is_asleep(reader); }));
      stop.request_stop();
    });
    const auto name = list->next(stop.get_token());  // no more is written
    ASSERT_FALSE(name.has_value());
    EXPECT_EQ(name.error().cure, Cure::resume);
  }
  EXPECT_EQ(list->count(), 1U);

  // Nothing was lost: a new token continues.
  pipe.put(" no more\n");
  EXPECT_EQ(list->next({}), "unfinished no more");
}

TEST(NameList, StopTakesPrecedenceOverAvailableNames) {
  Pipe pipe;
  pipe.put("a\nb\n");
  auto list = NameList::open(pipe.out.number(), NameEnd::newline);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(list->next(stop.get_token()).has_value());
  EXPECT_EQ(list->count(), 0U);
}

TEST(NameList, WaitsForANonBlockingSource) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.out.number(), F_SETFL, O_NONBLOCK), 0);
  const std::jthread writer([&, reader = ::gettid()] {
    EXPECT_TRUE(eventually([&] { return is_asleep(reader); }));
    pipe.put("late\n");
    pipe.in.close();
  });
  EXPECT_EQ(all_of(pipe.out.number(), NameEnd::newline).names, std::vector<std::string>{"late"});
}

TEST(NameList, ReadsAFile) {
  const std::string path = ::testing::TempDir() + "name_list_" + std::to_string(::getpid());
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.number(), "x\0\0y", 4), 4);
  ASSERT_EQ(::lseek(file.number(), 0, SEEK_SET), 0);
  EXPECT_EQ(all_of(file.number(), NameEnd::nul).names, (std::vector<std::string>{"x", "", "y"}));
  std::remove(path.c_str());
}

TEST(NameList, FailsWhenTheSourceCannotBeRead) {
  const Descriptor folder(::open("/", O_RDONLY | O_CLOEXEC));
  auto list = NameList::open(folder.number(), NameEnd::newline);
  const auto name = list->next({});
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().step, "read");
  EXPECT_EQ(name.error().cure, Cure::give_up);
}

}  // namespace
}  // namespace tidemill::walk
