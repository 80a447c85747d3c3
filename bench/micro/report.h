// Report: the tables, and the score of goals kept and missed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/machine.h"
#include "bench/micro/measure.h"

namespace tidemill::bench {

// One thread: belongs to main, which hands it to every scenario.
class Score {
 public:
  // `what` reads as a sentence: "tidemill <= 0.65 x asio".
  void judge(std::size_t scenario, std::string what, double measured, double limit) {
    const bool kept = measured <= limit;
    std::printf("  goal: %s: %.3f  %s\n", what.c_str(), measured, kept ? "ok" : "MISS");
    std::fflush(stdout);
    verdicts_.push_back({scenario, std::move(what), measured, kept});
  }

  void print() const {
    const auto kept = std::count_if(verdicts_.begin(), verdicts_.end(),
                                    [](const Verdict& verdict) { return verdict.kept; });
    std::printf("goals: %td met, %td missed; load %s at the end\n", kept,
                std::ssize(verdicts_) - kept, load_average().c_str());
    for (const Verdict& verdict : verdicts_) {
      std::printf("  %-4s  %zu. %s: %.3f\n", verdict.kept ? "ok" : "MISS", verdict.scenario,
                  verdict.what.c_str(), verdict.measured);
    }
  }

 private:
  struct Verdict {
    std::size_t scenario;
    std::string what;
    double measured;
    bool kept;
  };
  std::vector<Verdict> verdicts_;
};

inline void print_title(std::size_t scenario, const std::string& title) {
  std::printf("%zu. %s\n", scenario, title.c_str());
}

// How one entrant (ours, the first of the list) did against another.
struct Comparison {
  double of_medians;
  double per_round;  // median of the ratios of each round: robust against drift, so it judges
};

[[nodiscard]] inline Comparison compare(const std::vector<double>& ours,
                                        const std::vector<double>& theirs) {
  return {.of_medians = median(ours) / median(theirs), .per_round = median(ratios(ours, theirs))};
}

// A line for each entrant, everything divided by `tasks`; the first entrant is ours.
inline void print_costs(const std::vector<Entrant>& entrants, double tasks,
                        const char* unit = "ns a task") {
  std::printf("  %-22s %13s %10s %13s %13s %10s\n", unit, "CPU median", "CPU min", "wall median",
              "ours/it (med)", "(rounds)");
  for (const Entrant& entrant : entrants) {
    const std::vector<double> cpu = entrant.cpu();
    const Comparison ratio = compare(entrants.front().cpu(), cpu);
    std::printf("  %-22s %13.1f %10.1f %13.1f %13.3f %10.3f\n", entrant.name.c_str(),
                median(cpu) / tasks, percentile(cpu, 0) / tasks, median(entrant.wall()) / tasks,
                ratio.of_medians, ratio.per_round);
  }
  std::fflush(stdout);
}

[[nodiscard]] inline const Entrant& named(const std::vector<Entrant>& entrants,
                                          const std::string& name) {
  return *std::find_if(entrants.begin(), entrants.end(),
                       [&](const Entrant& entrant) { return entrant.name == name; });
}

// Holds the CPU time of the first entrant against that of `rival`.
inline void judge_cpu(Score& score, std::size_t scenario, const std::vector<Entrant>& entrants,
                      const std::string& rival, double limit) {
  const Entrant& ours = entrants.front();
  const double measured = compare(ours.cpu(), named(entrants, rival).cpu()).per_round;
  char what[128];
  std::snprintf(what, sizeof what, "%s <= %.2f x %s", ours.name.c_str(), limit, rival.c_str());
  score.judge(scenario, what, measured, limit);
}

}  // namespace tidemill::bench
