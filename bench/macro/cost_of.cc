// cost_of: runs a command with no input and no output, and prints what it cost.
//
//   cost_of COMMAND [ARGUMENT...]     prints: status, wall seconds, CPU seconds, largest RSS in
//   bytes
//
// A script could do this itself but for the last figure: the kernel counts the largest resident
// size from before exec(), so whoever is started by a large process looks at least as large.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// 0, or why it could not be started.
int start(char** command, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
  }
  const int error = posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: cost_of COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const auto began = std::chrono::steady_clock::now();
  pid_t pid = -1;
  if (const int error = start(argv + 1, pid); error != 0) {
    std::fprintf(stderr, "cost_of: %s could not be started: error %d\n", argv[1], error);
    return 1;
  }
  int status = 0;
  rusage used{};
  if (::wait4(pid, &status, 0, &used) != pid) return 1;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  std::printf("%d %.6f %.6f %ld\n", status, wall.count(),
              seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss * 1024);
  return 0;
}
