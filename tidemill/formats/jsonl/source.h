// Source: the raw bytes of a file, a FIFO or standard input.
//
// The first bytes are available before the first read, to detect the format. All bytes returned are
// counted and passed to a tap once, in order. A system error is a Failure with step "open" or
// "read"; errors that may pass (no descriptors left, an I/O error) are Cure::retry.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/input.h"

namespace tidemill::jsonl {

// One thread, except consumed().
class Source {
 public:
  explicit Source(std::string path, std::stop_token stop = {})
      : path_(std::move(path)), stop_(std::move(stop)) {}

  [[nodiscard]] Result<void> open();
  [[nodiscard]] const std::string& name() const { return path_; }  // for messages
  [[nodiscard]] std::string_view front() const { return {front_.data(), front_size_}; }

  [[nodiscard]] Result<std::size_t> read(std::span<char> into);  // 0: the end
  void tap(Input::Tap to, void* context) { tap_ = to, context_ = context; }

  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] Result<bool> is_unchanged() const;
  [[nodiscard]] std::uint64_t consumed() const { return position_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] Result<std::size_t> read_file(std::span<char> into) const;
  [[nodiscard]] Result<void> read_front();
  [[nodiscard]] Result<void> watch_for_stop();
  [[nodiscard]] Result<void> wait_for_bytes() const;
  void give_out(std::span<const char> bytes);

  std::string path_;
  std::stop_token stop_;
  bool is_standard_input_ = false;
  bool is_regular_ = false;
  Descriptor file_{};
  Descriptor bell_{};  // an eventfd that the token signals; only for sources that can block
  std::optional<std::stop_callback<std::function<void()>>> ringer_{};
  FileStamp stamp_{};
  std::array<char, 4> front_{};
  std::size_t front_size_ = 0;
  std::size_t front_given_ = 0;
  std::atomic<std::uint64_t> position_ = 0;  // written by one thread
  Input::Tap tap_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace tidemill::jsonl
