#include "tidemill/app/program/start.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::app {
namespace {

// If a standard stream is closed, opens /dev/null there, so that no file gets its descriptor.
void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

void say(const char* text) {
  [[maybe_unused]] const auto said = ::write(2, text, std::strlen(text));
}

constexpr const char* kOutOfMemory =
    ": out of memory\n"
    "  try: raise the limit (ulimit -v), or use fewer workers; what was done so far is kept\n";

// start() sets it with the first call, because a terminate handler has no arguments.
const char* program_name(const char* first = nullptr) {
  static const char* const name = first;
  return name;
}

void say_out_of_memory() {
  say(program_name());
  say(kOutOfMemory);
}

void say_bug(const char* what) {
  say(program_name());
  say(": this is a bug: ");
  say(what);
  say("\n");
}

pid_t main_process() {
  static const pid_t pid = ::getpid();
  return pid;
}

// The terminate handler, for exceptions from a destructor or without a catch: the process exits at
// once, as after a kill, and the run can be resumed. A sandbox process aborts instead, because its
// parent reads the cause from the signal.
[[noreturn]] void end_at_once() {
  if (::getpid() != main_process()) std::abort();
  try {
    if (std::current_exception() == nullptr) std::abort();
    throw;
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
  } catch (const std::exception& wrong) {
    say_bug(wrong.what());
  } catch (...) {
    say_bug("an unknown exception");
  }
  ::_exit(cli::kFailed);
}

}  // namespace

int start(const App& app, int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a Failure and must not kill the program
  std::signal(SIGXFSZ, SIG_IGN);  // nor must a limit on file sizes
  std::signal(SIGCHLD, SIG_DFL);  // if ignored, the kernel would discard exit statuses
  (void)main_process();
  (void)program_name(app.name.c_str());  // the app outlives everything
  std::set_terminate(end_at_once);
  try {
    return run(app, std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
  } catch (const std::exception& wrong) {
    say_bug(wrong.what());
  } catch (...) {
    say_bug("an unknown exception");
  }
  return cli::kFailed;
}

}  // namespace tidemill::app
