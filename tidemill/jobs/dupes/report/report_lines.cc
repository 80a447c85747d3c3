#include "tidemill/jobs/dupes/report/report_lines.h"

#include <algorithm>
#include <string>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/base64.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/dupes/report/freed.h"

namespace tidemill::dupes {
namespace {

void append_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_path(std::string& out, std::string_view path) {
  if (text::is_utf8(path)) {
    append_field(out, path);
    out += ',';
  } else {
    out += ',';
    out += text::base64(path);
  }
}

bool is_listed(const Copy& copy) { return copy.host.empty() && !copy.names.empty(); }

}  // namespace

Result<void> CsvReport::begin(std::uint64_t /*groups*/) {
  chunk_.text() += kHeader;
  return {};
}

Result<void> CsvReport::group(const Group& group) {
  const std::string number = std::to_string(group.number);
  const std::string hash = group.digest.hex();
  for (std::size_t i = 0; i < group.copies.size(); ++i) {
    TRY(copy(group.copies[i], {.group = number,
                               .hash = hash,
                               .is_kept = i == 0,
                               .freed = i == 0 ? 0 : freed_bytes(group.copies[i])}));
  }
  return {};
}

Result<void> CsvReport::unique(const Copy& file) { return copy(file, {}); }

Result<void> CsvReport::copy(const Copy& copy, const Row& row) {
  std::uint64_t freed = row.freed;
  for (const FileName& name : copy.names) {
    std::string& out = chunk_.text();
    out.append(row.group).append(",").append(std::to_string(copy.stamp.size)).append(",");
    out.append(row.hash).append(row.is_kept ? ",1," : ",0,");
    out.append(std::to_string(freed)).append(",");
    append_field(out, text::printable(copy.host));
    out.append(",").append(std::to_string(copy.stamp.device));
    out.append(",").append(std::to_string(copy.stamp.inode));
    out.append(",").append(std::to_string(copy.stamp.mtime_ns)).append(",");
    append_path(out, name.path);
    out += "\r\n";
    freed = 0;
    TRY(chunk_.pass_on_if_full());
  }
  return {};
}

Result<void> CsvReport::end(const ScanTotals& /*totals*/) { return chunk_.pass_on(); }

bool LinesReport::is_writable(const Copy& copy) const {
  return is_escaped_ || !copy.names.front().path.contains('\n');
}

void LinesReport::line(const Copy& copy) {
  const std::string& path = copy.names.front().path;
  chunk_.text() += is_escaped_ ? text::printable(path) : path;
  chunk_.text() += '\n';
}

Result<void> LinesReport::begin(std::uint64_t /*groups*/) { return {}; }

Result<void> LinesReport::group(const Group& group) {
  // A group with fewer than two local copies is not listed.
  if (std::ranges::count_if(group.copies, is_listed) < 2) return {};
  if (std::ranges::any_of(
          group.copies, [&](const Copy& copy) { return is_listed(copy) && !is_writable(copy); })) {
    ++left_out_;
    return {};
  }
  if (has_group_) chunk_.text() += '\n';
  has_group_ = true;
  for (const Copy& copy : group.copies) {
    if (!is_listed(copy)) continue;
    line(copy);
    TRY(chunk_.pass_on_if_full());
  }
  return {};
}

Result<void> LinesReport::unique(const Copy& file) {
  if (!is_listed(file)) return {};
  if (!is_writable(file)) {
    ++left_out_;
    return {};
  }
  line(file);
  return chunk_.pass_on_if_full();
}

Result<void> LinesReport::end(const ScanTotals& /*totals*/) { return chunk_.pass_on(); }

}  // namespace tidemill::dupes
