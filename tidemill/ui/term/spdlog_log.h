// SpdlogLog: a Log in a file that is rotated, one entry a line, as text or as JSON.
//
//   2026-03-01T12:03:10.042Z warning the disk is nearly full
//   {"time":"2026-03-01T12:03:10.042Z","level":"warning","text":"the disk is nearly full"}
//
// Times are UTC. An entry is always one line: text is escaped (formats/text/printable.h), in JSON
// bytes that are no UTF-8 are "textBase64". What was written is with the system when write()
// returns, so that a crash takes no entry with it. open() fails when the file cannot be made; after
// that a line that cannot be written is counted and lost: a full disk must not stop the work.
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
  std::filesystem::path folder{};  // made when it is not there
  std::string name = "tidemill.log";
  bool is_json = false;
  LogLevel level = LogLevel::info;  // and above
  Bytes most = mib(16);             // of one file
  std::size_t old_files = 4;        // kept: name.1.log is the youngest
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
  struct Logger;  // spdlog's

  SpdlogLog(bool is_json, LogLevel level, const Clock& clock);

  const bool is_json_;
  const LogLevel level_;
  const Clock& clock_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::unique_ptr<Logger> logger_;
};

}  // namespace tidemill::term
