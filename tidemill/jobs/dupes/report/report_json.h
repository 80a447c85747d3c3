// JsonReport: the findings as one JSON object, or as one object per line. docs/formats/output.md
// describes the fields. The output is streamed: not even the text of a single large group is
// completely in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/dupes/report/reporter.h"

namespace tidemill::dupes {

// The requested parts: a requested part is written even if it is empty.
struct JsonForm {
  bool has_lines = false;    // one event per line instead of one object
  bool has_uniques = false;  // files without a copy instead of groups
  bool has_folders = false;
};

// One thread.
class JsonReport final : public Reporter {
 public:
  JsonReport(TextSink sink, JsonForm form)
      : form_(form), chunk_(std::move(sink)), whole_(chunk_.text()) {}
  JsonReport(const JsonReport&) = delete;
  JsonReport& operator=(const JsonReport&) = delete;

  [[nodiscard]] Result<void> begin(std::uint64_t groups) override;
  [[nodiscard]] Result<void> group(const Group& group) override;
  [[nodiscard]] Result<void> unique(const Copy& file) override;
  [[nodiscard]] Result<void> same_folders(const Folders& folders, const SameFolders& same) override;
  [[nodiscard]] Result<void> overlap(const Folders& folders, const Overlap& overlap) override;
  [[nodiscard]] Result<void> failure(const FileFailure& failure) override;
  [[nodiscard]] Result<void> end(const ScanTotals& totals) override;

 private:
  // The arrays of the object, in their order.
  enum class Section : std::uint8_t { none, groups, uniques, folders, overlaps, failures, totals };

  [[nodiscard]] static std::string_view key_of(Section section);
  [[nodiscard]] bool is_wanted(Section section) const;
  void enter(Section section);
  // Starts the object of one finding; close() ends it.
  [[nodiscard]] text::JsonWriter& open(Section section, std::string_view event);
  [[nodiscard]] Result<void> close(text::JsonWriter& json);

  const JsonForm form_;
  Chunk chunk_;
  text::JsonWriter whole_;                // of the one object
  std::optional<text::JsonWriter> line_;  // of the current event
  Section section_ = Section::none;
  bool is_open_ = false;  // the array of the section
};

}  // namespace tidemill::dupes
