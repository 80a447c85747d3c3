// Machine: the facts without which a figure means nothing, printed above every table so that the
// output can be kept as it is.
#pragma once

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/micro/flags.h"

namespace tidemill::bench {

[[nodiscard]] inline std::string cpu_model() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

[[nodiscard]] inline std::string load_average() {
  double loads[3] = {};
  if (getloadavg(loads, 3) != 3) return "unknown";
  char text[64];
  std::snprintf(text, sizeof text, "%.2f %.2f %.2f", loads[0], loads[1], loads[2]);
  return text;
}

[[nodiscard]] inline std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

[[nodiscard]] inline const char* build_kind() {
#if !defined(__OPTIMIZE__)
  return "NOT OPTIMISED: the figures below mean nothing";
#elif !defined(NDEBUG)
  return "optimised, with assertions";
#else
  return "optimised";
#endif
}

inline void print_machine(const char* program, const Flags& flags,
                          const std::vector<std::string>& libraries) {
  utsname kernel{};
  uname(&kernel);
  std::printf("%s, %s\n", program, utc_date().c_str());
  std::printf("  cpu        %s, %u cores\n", cpu_model().c_str(),
              std::thread::hardware_concurrency());
  std::printf("  kernel     %s %s, glibc %s\n", kernel.sysname, kernel.release,
              gnu_get_libc_version());
#if defined(__clang__)
  std::printf("  compiler   %s, %s\n", __VERSION__, build_kind());
#else
  std::printf("  compiler   g++ %s, %s\n", __VERSION__, build_kind());
#endif
  for (const std::string& library : libraries) std::printf("  library    %s\n", library.c_str());
  std::printf("  load       %s at the start\n", load_average().c_str());
  std::printf("  rounds     %zu%s, seed %llu\n\n", flags.rounds,
              flags.shrink > 1 ? " with fewer tasks (--quick)" : "",
              static_cast<unsigned long long>(flags.seed));
  std::fflush(stdout);
}

}  // namespace tidemill::bench
