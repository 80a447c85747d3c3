// naps: a library that makes threads fall asleep where they least expect it: behind and before
// locks, reads and writes, at their birth and at that of others. A test that depends on luck fails
// with it now and then, and a test that does not never does. tools/repeat runs the tests of a
// change with it; by hand, for all tests and for as long as one has patience:
//
//   LD_PRELOAD=$PWD/build/release/naps.so ctest --preset release --repeat until-fail:6
//     -LE 'faults|heavy|once|queues' -E '^sandbox/|books'
//
// NAPS=5 makes it five times as sleepy. Sandboxes refuse the call that sleeps, so their tests are
// excluded.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

double sleepiness() {
  static const double of_user = [] {
    const char* text = std::getenv("NAPS");  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? 1.0 : std::strtod(text, nullptr);
  }();
  return of_user;
}

std::uint64_t dice() {
  thread_local std::uint64_t state = 0;
  if (state == 0) {
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    state = static_cast<std::uint64_t>(now.tv_nsec) * 2'654'435'761U +
            static_cast<std::uint64_t>(::gettid()) + 1;
  }
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

// Mostly short, now and then as long as a busy machine takes a thread away.
long microseconds() {
  const std::uint64_t kind = dice() % 100;
  const std::uint64_t longest = kind < 70 ? 500 : kind < 97 ? 5'000 : 60'000;
  return static_cast<long>(dice() % longest);
}

void nap(double probability) {
  const int error = errno;
  if (static_cast<double>(dice() % 1'000'000) < probability * sleepiness() * 1e6) {
    const timespec time{.tv_sec = 0, .tv_nsec = microseconds() * 1'000};
    ::syscall(SYS_nanosleep, &time, nullptr);
  }
  errno = error;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Birth {
  void* (*run)(void*);
  void* argument;
};

void* born(void* given) {
  const Birth birth = *static_cast<Birth*>(given);
  delete static_cast<Birth*>(given);
  nap(0.6);
  return birth.run(birth.argument);
}

}  // namespace

// They stand before those of the C library, whose parameters have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  nap(0.01);
  return lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const unlock = real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = unlock(mutex);
  nap(0.01);
  return result;
}

ssize_t read(int file, void* bytes, size_t count) {
  static auto* const call = real<ssize_t(int, void*, size_t)>("read");
  nap(0.03);
  const ssize_t result = call(file, bytes, count);
  nap(0.03);
  return result;
}

ssize_t write(int file, const void* bytes, size_t count) {
  static auto* const call = real<ssize_t(int, const void*, size_t)>("write");
  nap(0.03);
  const ssize_t result = call(file, bytes, count);
  nap(0.03);
  return result;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const call = real<int(const char*, const char*)>("rename");
  nap(0.1);
  const int result = call(from, to);
  nap(0.1);
  return result;
}

pid_t waitpid(pid_t child, int* status, int options) {
  static auto* const call = real<pid_t(pid_t, int*, int)>("waitpid");
  nap(0.2);
  return call(child, status, options);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  static auto* const create =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const int result = create(thread, attributes, born, new Birth{.run = run, .argument = argument});
  nap(0.5);
  return result;
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
