#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/doctor/judge.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using text::printable;

// NTP keeps clocks within milliseconds; a larger difference means that one of them has none.
constexpr nanoseconds kClockDiffers = 5s;

constexpr const char* kCompareAcl =
    "compare the ACL of this user with \"Users of Redis\" in docs/guide/fleet.md";

// All of them, for programs.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

double seconds_of(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// "this clock is 2.0 s ahead of that of Redis, to within 0.1 ms". `certain`: what is left of it at
// least.
std::string difference_text(const ClockLead& lead, nanoseconds certain) {
  if (certain == 0ns) {
    return "this clock agrees with that of Redis to within " +
           latency_text(std::max(lead.most, -lead.least));
  }
  const nanoseconds middle = lead.least + (lead.most - lead.least) / 2;
  return fmt::format("this clock is {} {} that of Redis, to within {}",
                     text::duration_text(std::chrono::abs(middle)),
                     middle > 0ns ? "ahead of" : "behind",
                     latency_text((lead.most - lead.least) / 2));
}

}  // namespace

DoctorFinding judge_rights(const std::string& user, const Result<FleetRights>& rights) {
  const std::string who = "the user " + printable(user);
  DoctorFinding finding{.check = "fleet-acl", .facts = {{"user", user}}};
  if (!rights) {
    finding.level = CheckLevel::note;
    finding.found = "not checked what " + who + " may do: " + printable(rights.error().reason);
    if (rights.error().kind == FailureKind::unsupported) {
      finding.advice = "use Redis 7.0 or later, or Valkey, for this check";
    }
    return finding;
  }
  const bool may_coordinate = rights->to_coordinate.empty();
  const bool may_work = rights->to_work.empty();
  finding.facts.emplace_back("mayCoordinate", may_coordinate);
  finding.facts.emplace_back("mayWork", may_work);
  if (!may_coordinate) {
    finding.facts.emplace_back("missingToCoordinate", joined(rights->to_coordinate));
  }
  if (!may_work) {
    finding.facts.emplace_back("missingToWork", joined(rights->to_work));
  }
  if (may_coordinate && may_work) {
    finding.found = who + " may coordinate and work";
    return finding;
  }
  const std::string for_coordinator = "; to coordinate it lacks " + listed(rights->to_coordinate);
  const std::string for_worker = "; to work it lacks " + listed(rights->to_work);
  finding.advice = kCompareAcl;
  if (may_work) {
    finding.level = CheckLevel::note;
    finding.found = who + " may only work" + for_coordinator;
    finding.advice = std::string("if this host should coordinate, ") + kCompareAcl;
  } else if (may_coordinate) {
    finding.level = CheckLevel::note;
    finding.found = who + " may only coordinate" + for_worker;
    finding.advice = std::string("if this host should work, ") + kCompareAcl;
  } else {
    finding.level = CheckLevel::error;
    finding.found = who + " may neither coordinate nor work" + for_worker + for_coordinator;
  }
  return finding;
}

DoctorFinding judge_clock(const Result<ClockLead>& clock) {
  DoctorFinding finding{.check = "fleet-clock"};
  if (!clock) {
    finding.level = CheckLevel::note;
    finding.found =
        "this clock was not compared with that of Redis: " + printable(clock.error().reason);
    return finding;
  }
  const nanoseconds certain = std::max({clock->least, -clock->most, 0ns});
  finding.found = difference_text(*clock, certain);
  finding.facts = {{"aheadSeconds", seconds_of(clock->least + (clock->most - clock->least) / 2)},
                   {"withinSeconds", seconds_of((clock->most - clock->least) / 2)}};
  if (certain < kClockDiffers) return finding;
  finding.level = CheckLevel::warning;
  finding.found +=
      ": the terms of a fleet do not depend on it, but catalogue hash compares it with the times "
      "of files, and times in logs differ";
  finding.advice = "synchronise the clocks of all hosts (timedatectl set-ntp true)";
  return finding;
}

DoctorFinding judge_key(const FleetKeyFacts& key) {
  DoctorFinding finding{.check = "fleet-key", .facts = {{"path", key.path}}};
  if (!key.problem) {
    finding.found = printable(key.path);
    return finding;
  }
  const bool is_missing = key.problem->kind == FailureKind::not_found;
  finding.level = is_missing && !key.is_named ? CheckLevel::note : CheckLevel::error;
  finding.found = printable(key.problem->reason);
  finding.advice = is_missing ? "create a key with tidemill fleet key on one host, and copy it to "
                                "the others with mode 0600"
                              : key.problem->hint;
  return finding;
}

std::vector<DoctorFinding> judge_fleet(const FleetFacts& fleet) {
  std::vector<DoctorFinding> findings;
  if (fleet.rights) findings.push_back(judge_rights(fleet.user, *fleet.rights));
  if (fleet.clock) findings.push_back(judge_clock(*fleet.clock));
  findings.push_back(judge_key(fleet.key));
  return findings;
}

}  // namespace tidemill::app
