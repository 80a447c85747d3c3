// chore: the command that the fault tests let the program run. It is small and static, so that it
// starts fast and makes none of the system calls that a sweep breaks.
//
//   chore nothing NAME         succeeds
//   chore effect FOLDER NAME   does its work so that a test can count it afterwards
//
// An effect: lock FOLDER/locks/NAME ("held" in the log when another process has it), "begin NAME"
// into FOLDER/log, work for some milliseconds, say so on standard output, write
// FOLDER/effects/NAME, "end NAME" into the log. The log gets one write a line, so lines of many
// processes do not mix.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

using Line = std::array<char, 4'096>;

// Most names take 1 to 5 ms. One in sixteen takes 80 ms: it outlives a killed program for long
// enough to meet the next one.
long microseconds_for(const char* name) {
  unsigned hash = 2'166'136'261U;
  for (const char* at = name; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 16'777'619U;
  }
  hash ^= hash >> 15U;
  return hash % 16 == 0 ? 80'000 : 1'000 + static_cast<long>(hash / 16 % 4'000);
}

void wait_for(long microseconds) {
  timespec time{.tv_sec = 0, .tv_nsec = microseconds * 1'000};
  ::ppoll(nullptr, 0, &time, nullptr);
}

int open_in(const char* folder, const char* part, const char* name, int flags) {
  Line path{};
  std::snprintf(path.data(), path.size(), "%s/%s%s", folder, part, name);
  return ::open(path.data(), flags | O_CREAT | O_CLOEXEC, 0600);
}

bool put(int file, const char* what, const char* name) {
  Line line{};
  const int length = std::snprintf(line.data(), line.size(), "%s %s %d\n", what, name,
                                   static_cast<int>(::getpid()));
  return ::write(file, line.data(), static_cast<std::size_t>(length)) == length;
}

int effect(const char* folder, const char* name) {
  const int log = open_in(folder, "log", "", O_WRONLY | O_APPEND);
  const int lock = open_in(folder, "locks/", name, O_RDWR);
  if (log < 0 || lock < 0) return 1;
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) put(log, "held", name);
  if (!put(log, "begin", name)) return 1;
  wait_for(microseconds_for(name));
  if (!put(STDOUT_FILENO, "worked", name)) return 1;
  const int file = open_in(folder, "effects/", name, O_WRONLY | O_TRUNC);
  if (file < 0 || !put(file, "effect", name)) return 1;
  return put(log, "end", name) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "nothing") == 0) return 0;
  if (count == 4 && std::strcmp(words[1], "effect") == 0) return effect(words[2], words[3]);
  return 2;
}
