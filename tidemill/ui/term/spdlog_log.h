// SpdlogLog: a Log that writes to a rotated file, one entry per line, as text or as JSON.
//
//   2026-03-01T12:03:10.042Z warning the disk is nearly full
//   {"time":"2026-03-01T12:03:10.042Z","level":"warning","text":"the disk is nearly full"}
//
// Times are UTC. An entry is always one line: text is escaped (formats/text/printable.h); in JSON,
// bytes that are not UTF-8 become "textBase64". When write() returns, the line is with the
// operating system, so a crash loses no entry. open() fails if the file cannot be created; after
// that, a line that cannot be written is counted and lost: a full disk must not stop the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"

namespace tidemill::term {

struct LogFileOptions {
  std::filesystem::path folder{};  // created if it does not exist
  std::string name = "tidemill.log";
  bool is_json = false;
  LogLevel level = LogLevel::info;  // and more severe
  Bytes most = mib(16);             // maximum size of one file
  std::size_t old_files = 4;        // kept: tidemill.1.log is the newest
};

// Thread-safe.
class SpdlogLog final : public Log {
 public:
  // The clock must outlive the log.
  [[nodiscard]] static Result<std::unique_ptr<SpdlogLog>> open(const LogFileOptions& options,
                                                               const Clock& clock);
  SpdlogLog(const SpdlogLog&) = delete;
  SpdlogLog& operator=(const SpdlogLog&) = delete;
  ~SpdlogLog() override;

  void write(LogLevel level, std::string_view text) override;

  [[nodiscard]] std::uint64_t lost() const { return lost_; }  // lines that could not be written

 private:
  struct Logger;  // wraps spdlog::logger

  SpdlogLog(bool is_json, LogLevel level, const Clock& clock);

  const bool is_json_;
  const LogLevel level_;
  const Clock& clock_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::unique_ptr<Logger> logger_;
};

}  // namespace tidemill::term
