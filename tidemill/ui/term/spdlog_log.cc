#include "tidemill/ui/term/spdlog_log.h"

#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/term/held_sink.h"

namespace tidemill::term {
namespace {

std::string time_text(WallTime wall) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(wall.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const auto seconds = static_cast<std::time_t>(whole.count());
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "-";
  const std::string time(text.data(), std::strftime(text.data(), text.size(), "%FT%T", &parts));
  const auto thousandths = std::to_string((since_epoch - whole).count());
  return time + "." + std::string(3 - thousandths.size(), '0') + thousandths + "Z";
}

std::string line_of(LogLevel level, std::string_view text, bool is_json, WallTime wall) {
  if (!is_json) {
    return time_text(wall).append(" ").append(name_of(level)).append(" ") + text::printable(text);
  }
  std::string line;
  text::JsonWriter(line)
      .begin_object()
      .key("time")
      .value(time_text(wall))
      .key("level")
      .value(name_of(level))
      .bytes("text", text)
      .end_object();
  return line;
}

}  // namespace

struct SpdlogLog::Logger {
  spdlog::logger logger;
};

SpdlogLog::SpdlogLog(bool is_json, LogLevel level, const Clock& clock)
    : is_json_(is_json), level_(level), clock_(clock) {}

SpdlogLog::~SpdlogLog() = default;

Result<std::unique_ptr<SpdlogLog>> SpdlogLog::open(const LogFileOptions& options,
                                                   const Clock& clock) {
  const auto path = (options.folder / options.name).string();
  try {
    std::unique_ptr<SpdlogLog> log(new SpdlogLog(options.is_json, options.level, clock));
    auto sink = HeldSink::open(path, options.most, options.old_files);
    if (!sink) {
      sink.error().step = "log";
      return std::unexpected(std::move(sink).error());
    }
    log->logger_.reset(new Logger{spdlog::logger("tidemill", *std::move(sink))});
    auto& logger = log->logger_->logger;
    logger.set_level(spdlog::level::trace);  // write() filters by level
    logger.flush_on(spdlog::level::trace);
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
    logger.set_error_handler([log = log.get()](const std::string&) { ++log->lost_; });
    return log;
  } catch (const std::exception& error) {
    return fail(Cure::give_up, "log", text::printable(error.what()));
  }
}

void SpdlogLog::write(LogLevel level, std::string_view text) {
  if (level < level_) return;
  try {
    logger_->logger.log(spdlog::level::info, line_of(level, text, is_json_, clock_.wall()));
  } catch (const std::exception&) {  // out of memory: spdlog catches its own errors
    ++lost_;
  }
}

}  // namespace tidemill::term
