#include "tidemill/jobs/each/fleet/report_text.h"

#include <chrono>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/base/varint.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/each/output/output.h"

namespace tidemill::each {
namespace {

using std::chrono::microseconds;

void append_text(std::string& bytes, std::string_view text) {
  append_varint(bytes, text.size());
  bytes += text;
}

std::optional<std::string_view> take_text(std::string_view& bytes) {
  const auto size = take_varint(bytes);
  if (!size || *size > bytes.size()) return std::nullopt;
  const std::string_view text = bytes.substr(0, *size);
  bytes.remove_prefix(*size);
  return text;
}

Failure too_much(std::string_view stream, std::uint64_t bytes) {
  return {.kind = FailureKind::over_limit,
          .step = "output",
          .reason = "the command wrote " + text::count_text(bytes) + " bytes to " +
                    std::string(stream) + ", and a fleet carries at most " +
                    text::count_text(kMostOutput.count) + " per task",
          .hint = "let the command write to a file"};
}

Result<void> append_stream(std::string& bytes, std::string_view name,
                           const proc::Captured& captured, bool wants_all) {
  append_varint(bytes, captured.total);
  if (!wants_all || captured.spill.empty()) {
    append_text(bytes, captured.head);
    return {};
  }
  if (captured.total > kMostOutput.count) return std::unexpected(too_much(name, captured.total));
  std::string all;
  all.reserve(captured.total);
  TRY(copy_all(captured, [&](std::string_view piece) -> Result<void> {
    all += piece;
    return {};
  }));
  append_text(bytes, all);
  return {};
}

bool take_stream(std::string_view& bytes, proc::Captured& captured) {
  const auto total = take_varint(bytes);
  const auto head = take_text(bytes);
  if (!total || !head || *total < head->size()) return false;
  captured.total = *total;
  captured.head = *head;
  return true;
}

template <class Number>
bool take_number(std::string_view& bytes, Number& number) {
  const auto taken = take_varint(bytes);
  if (taken) number = static_cast<Number>(*taken);
  return taken.has_value();
}

bool take_time(std::string_view& bytes, microseconds& time) {
  std::int64_t count = 0;
  if (!take_number(bytes, count) || count < 0) return false;
  time = microseconds(count);
  return true;
}

}  // namespace

Result<std::string> pack(const CommandReport& report, bool wants_all) {
  const proc::Exit& exit = report.last.exit;
  std::string bytes;
  append_text(bytes, report.result);
  append_varint(bytes, static_cast<std::uint64_t>(exit.status));
  append_varint(bytes, static_cast<std::uint64_t>(exit.signal));
  for (const microseconds time : {exit.wall, exit.user, exit.system}) {
    append_varint(bytes, static_cast<std::uint64_t>(time.count()));
  }
  append_varint(bytes, exit.max_rss.count);
  TRY(append_stream(bytes, "standard output", report.last.out, wants_all));
  TRY(append_stream(bytes, "standard error", report.last.err, wants_all));
  return bytes;
}

std::optional<CommandReport> unpack_report(std::string_view bytes) {
  CommandReport report;
  proc::Exit& exit = report.last.exit;
  const auto result = take_text(bytes);
  if (!result) return std::nullopt;
  report.result = *result;
  const bool is_whole = take_number(bytes, exit.status) && take_number(bytes, exit.signal) &&
                        take_time(bytes, exit.wall) && take_time(bytes, exit.user) &&
                        take_time(bytes, exit.system) && take_number(bytes, exit.max_rss.count) &&
                        take_stream(bytes, report.last.out) && take_stream(bytes, report.last.err);
  if (!is_whole) return std::nullopt;
  return report;
}

}  // namespace tidemill::each
