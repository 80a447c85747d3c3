// HeldSink: a spdlog sink for a log file with rotation. Unlike spdlog's own sinks it holds the
// folder open and does not follow links of other users (io/files/held_folder.h), because a
// privileged user may write logs into a folder of another user.
//
//   run.log ── full ──► run.1.log ──► run.2.log ──► … ──► removed
//
// A file below /dev is written directly and not rotated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <spdlog/sinks/base_sink.h>

#include "tidemill/base/bytes.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"

namespace tidemill::term {

// Thread-safe, through its base class.
class HeldSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // `most`: the maximum size of one file. A missing folder is created.
  [[nodiscard]] static Result<std::shared_ptr<HeldSink>> open(const std::string& path, Bytes most,
                                                              std::size_t old_files);

 private:
  HeldSink(std::string path, Bytes most, std::size_t old_files);

  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

  [[nodiscard]] Result<void> open_file();
  [[nodiscard]] Result<void> rotate();
  // "run.log", "run.1.log", "run.2.log", …
  [[nodiscard]] std::string name_of(std::size_t age) const;

  const std::string path_;
  const Bytes most_;
  const std::size_t old_files_;
  std::unique_ptr<const files::Spot> spot_{};  // null: a device
  Descriptor file_{};
  std::uint64_t size_ = 0;
};

}  // namespace tidemill::term
