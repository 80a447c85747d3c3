// Reports for other programs that read lines: CSV, and one path per line.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/jobs/dupes/report/reporter.h"

namespace tidemill::dupes {

// CSV as in RFC 4180: a header line, CRLF, quotes where needed. One row per name; names of the same
// file have the same device and inode, and all names of a kept file have keep = 1. The bytes that
// removing a file would free are in the row of its first name, so that the column can be summed. A
// path that is not UTF-8 is empty and given in path_base64. A file without a copy has no group and
// no hash. One thread.
class CsvReport final : public Reporter {
 public:
  static constexpr std::string_view kHeader =
      "group,size,hash,keep,reclaimable,host,device,inode,mtime_ns,path,path_base64\r\n";

  explicit CsvReport(TextSink sink) : chunk_(std::move(sink)) {}

  [[nodiscard]] Result<void> begin(std::uint64_t groups) override;
  [[nodiscard]] Result<void> group(const Group& group) override;
  [[nodiscard]] Result<void> unique(const Copy& file) override;
  [[nodiscard]] Result<void> end(const ScanTotals& totals) override;

 private:
  struct Row {
    std::string_view group{};
    std::string_view hash{};
    bool is_kept = true;
    std::uint64_t freed = 0;
  };
  [[nodiscard]] Result<void> copy(const Copy& copy, const Row& row);

  Chunk chunk_;
};

// One path per line, groups separated by an empty line, like fdupes; files without a copy as a
// plain list. Only local files, and one name of each. A name with a newline cannot be represented:
// its group is left out and counted, never written in part. Escaped output (for a terminal) can
// represent every name, and leaves nothing out. One thread.
class LinesReport final : public Reporter {
 public:
  explicit LinesReport(TextSink sink, bool is_escaped = false)
      : chunk_(std::move(sink)), is_escaped_(is_escaped) {}

  [[nodiscard]] Result<void> begin(std::uint64_t groups) override;
  [[nodiscard]] Result<void> group(const Group& group) override;
  [[nodiscard]] Result<void> unique(const Copy& file) override;
  [[nodiscard]] Result<void> end(const ScanTotals& totals) override;

  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  [[nodiscard]] bool is_writable(const Copy& copy) const;
  void line(const Copy& copy);

  Chunk chunk_;
  bool is_escaped_;
  bool has_group_ = false;
  std::uint64_t left_out_ = 0;
};

}  // namespace tidemill::dupes
