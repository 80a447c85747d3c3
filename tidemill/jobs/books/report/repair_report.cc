#include "tidemill/jobs/books/report/repair_report.h"

#include <utility>

#include "tidemill/jobs/books/messages.h"

namespace tidemill::books {
namespace {

using epub::Change;
using epub::Declined;
using epub::Repairability;

constexpr std::uint64_t kForm = 1;

void write(const Change& change, MessageWriter& message) {
  message.number(static_cast<std::uint64_t>(change.tier));
  message.text(change.name);
  message.number(change.repairs.size());
  for (const epub::RuleId rule : change.repairs) message.text(rule.text());
  message.text(change.entry);
  message.text(change.what);
  message.text(change.diff);
}

bool read(MessageReader& message, Change& change) {
  const std::uint64_t tier = message.number();
  if (tier > static_cast<std::uint64_t>(Repairability::ask)) return false;
  change.tier = static_cast<Repairability>(tier);
  change.name = message.text();
  const std::uint64_t rules = message.number();
  if (rules > message.left()) return false;
  for (std::uint64_t at = 0; at < rules; ++at) {
    const auto rule = epub::rule_named(message.text());
    if (!rule) return false;
    change.repairs.push_back(*rule);
  }
  change.entry = message.text();
  change.what = message.text();
  change.diff = message.text();
  return message.is_good();
}

bool read(MessageReader& message, epub::RepairPlan& plan) {
  const std::uint64_t changes = message.number();
  if (changes > message.left()) return false;
  for (std::uint64_t at = 0; at < changes; ++at) {
    if (!read(message, plan.changes.emplace_back())) return false;
  }
  const std::uint64_t declined = message.number();
  if (declined > message.left()) return false;
  for (std::uint64_t at = 0; at < declined; ++at) {
    const auto rule = epub::rule_named(message.text());
    if (!rule) return false;
    Declined one{.rule = *rule};
    one.entry = message.text();
    one.why = message.text();
    plan.declined.push_back(std::move(one));
  }
  return message.is_good();
}

bool read(MessageReader& message, BookReport& report) {
  auto read = decoded(message.text());
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
    case Fate::repaired:
      return "repaired";
    case Fate::errored:
      return "failed";
  }
  return "unknown";
}

std::string encoded(const RepairReport& report) {
  MessageWriter message;
  message.number(kForm);
  message.number(static_cast<std::uint64_t>(report.fate));
  message.text(report.reason);
  message.text(encoded(report.before));
  message.text(encoded(report.after));
  message.number(report.plan.changes.size());
  for (const Change& change : report.plan.changes) write(change, message);
  message.number(report.plan.declined.size());
  for (const Declined& one : report.plan.declined) {
    message.text(one.rule.text());
    message.text(one.entry);
    message.text(one.why);
  }
  message.text(report.output);
  message.text(report.backup);
  return message.take();
}

std::optional<RepairReport> decoded_repair(std::string_view bytes) {
  MessageReader message(bytes);
  if (message.number() != kForm) return std::nullopt;
  const std::uint64_t fate = message.number();
  if (fate > static_cast<std::uint64_t>(Fate::errored)) return std::nullopt;
  RepairReport report{.fate = static_cast<Fate>(fate)};
  report.reason = message.text();
  if (!read(message, report.before) || !read(message, report.after)) return std::nullopt;
  if (!read(message, report.plan)) return std::nullopt;
  report.output = message.text();
  report.backup = message.text();
  if (!message.is_good() || !message.is_at_end()) return std::nullopt;
  return report;
}

}  // namespace tidemill::books
