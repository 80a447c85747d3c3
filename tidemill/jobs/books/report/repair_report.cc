#include "tidemill/jobs/books/report/repair_report.h"

#include <utility>

#include "tidemill/jobs/books/wire.h"

namespace tidemill::books {
namespace {

using epub::Change;
using epub::Declined;
using epub::Mend;

constexpr std::uint64_t kForm = 1;

void write(const Change& change, WireWriter& wire) {
  wire.number(static_cast<std::uint64_t>(change.tier));
  wire.text(change.name);
  wire.number(change.mends.size());
  for (const epub::RuleId rule : change.mends) wire.text(rule.text());
  wire.text(change.entry);
  wire.text(change.what);
  wire.text(change.diff);
}

bool read(WireReader& wire, Change& change) {
  const std::uint64_t tier = wire.number();
  if (tier > static_cast<std::uint64_t>(Mend::ask)) return false;
  change.tier = static_cast<Mend>(tier);
  change.name = wire.text();
  const std::uint64_t rules = wire.number();
  if (rules > wire.left()) return false;
  for (std::uint64_t at = 0; at < rules; ++at) {
    const auto rule = epub::rule_named(wire.text());
    if (!rule) return false;
    change.mends.push_back(*rule);
  }
  change.entry = wire.text();
  change.what = wire.text();
  change.diff = wire.text();
  return wire.is_good();
}

bool read(WireReader& wire, epub::Plan& plan) {
  const std::uint64_t changes = wire.number();
  if (changes > wire.left()) return false;
  for (std::uint64_t at = 0; at < changes; ++at) {
    if (!read(wire, plan.changes.emplace_back())) return false;
  }
  const std::uint64_t declined = wire.number();
  if (declined > wire.left()) return false;
  for (std::uint64_t at = 0; at < declined; ++at) {
    const auto rule = epub::rule_named(wire.text());
    if (!rule) return false;
    Declined one{.rule = *rule};
    one.entry = wire.text();
    one.why = wire.text();
    plan.declined.push_back(std::move(one));
  }
  return wire.is_good();
}

bool read(WireReader& wire, BookReport& report) {
  auto read = decoded(wire.text());
  if (!read) return false;
  report = *std::move(read);
  return true;
}

}  // namespace

std::string objection(const BookReport& before, const BookReport& after) {
  for (const auto& [rule, count] : after.counts) {
    if (rule.severity() >= epub::Severity::warning && !before.counts.contains(rule)) {
      return "it would break " + std::string(rule.text()) + ", which it does not break now";
    }
  }
  if (after.errors() >= before.errors()) return "it would not fix any error";
  if (after.pages < before.pages) return "pages would be lost";
  return {};
}

std::string contradiction(const RepairReport& said, const BookReport& before,
                          const BookReport& after) {
  if (before.is_errored || after.is_errored) return "it could not be checked a second time";
  if (before.counts != said.before.counts || after.counts != said.after.counts) {
    return "a second process gets a different result";
  }
  return objection(before, after);
}

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::sound:
      return "valid";
    case Fate::declined:
      return "skipped";
    case Fate::planned:
      return "planned";
    case Fate::mended:
      return "repaired";
    case Fate::errored:
      return "failed";
  }
  return "unknown";
}

std::string encoded(const RepairReport& report) {
  WireWriter wire;
  wire.number(kForm);
  wire.number(static_cast<std::uint64_t>(report.fate));
  wire.text(report.reason);
  wire.text(encoded(report.before));
  wire.text(encoded(report.after));
  wire.number(report.plan.changes.size());
  for (const Change& change : report.plan.changes) write(change, wire);
  wire.number(report.plan.declined.size());
  for (const Declined& one : report.plan.declined) {
    wire.text(one.rule.text());
    wire.text(one.entry);
    wire.text(one.why);
  }
  wire.text(report.output);
  wire.text(report.backup);
  return wire.take();
}

std::optional<RepairReport> decoded_repair(std::string_view bytes) {
  WireReader wire(bytes);
  if (wire.number() != kForm) return std::nullopt;
  const std::uint64_t fate = wire.number();
  if (fate > static_cast<std::uint64_t>(Fate::errored)) return std::nullopt;
  RepairReport report{.fate = static_cast<Fate>(fate)};
  report.reason = wire.text();
  if (!read(wire, report.before) || !read(wire, report.after)) return std::nullopt;
  if (!read(wire, report.plan)) return std::nullopt;
  report.output = wire.text();
  report.backup = wire.text();
  if (!wire.is_good() || !wire.is_at_end()) return std::nullopt;
  return report;
}

}  // namespace tidemill::books
