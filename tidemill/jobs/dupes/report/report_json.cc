#include "tidemill/jobs/dupes/report/report_json.h"

#include <cassert>
#include <chrono>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/report/overlap.h"

namespace tidemill::dupes {
namespace {

using text::JsonWriter;

// Write the fields into an open object.
Result<void> write(JsonWriter& json, const Copy& copy, Chunk& chunk) {
  json.key("names").begin_array();
  for (const FileName& name : copy.names) {
    json.begin_object().bytes("path", name.path);
    json.key("root").value(name.root).key("reference").value(name.is_reference).end_object();
    TRY(chunk.pass_on_if_full());
  }
  json.end_array();
  json.key("device").value(copy.stamp.device).key("inode").value(copy.stamp.inode);
  json.key("mtimeNs").value(copy.stamp.mtime_ns);
  json.key("blocks").value(copy.blocks).key("shared").value(copy.shared);
  json.key("links").value(copy.links);
  if (!copy.host.empty()) json.bytes("host", copy.host);
  return {};
}

Result<void> write(JsonWriter& json, const Group& group, Chunk& chunk) {
  json.key("number").value(group.number).key("size").value(group.size);
  json.key("algorithm").value(hash::name_of(group.algorithm));
  json.key("hash").value(group.digest.hex()).key("verified").value(group.is_verified);
  json.key("reclaimable").value(reclaimable_bytes(group));
  json.key("copies").begin_array();
  for (const Copy& copy : group.copies) {
    json.begin_object();
    TRY(write(json, copy, chunk));
    json.end_object();
  }
  json.end_array();
  return {};
}

void write(JsonWriter& json, const ScanTotals& totals) {
  json.key("found").value(totals.files).key("folders").value(totals.folders);
  json.key("bytes").value(totals.bytes).key("candidates").value(totals.candidates);
  json.key("bytesRead").value(totals.bytes_read).key("cached").value(totals.remembered);
  json.key("failed").value(totals.failures).key("skipped").value(totals.skipped);
  json.key("gone").value(totals.gone);
  if (totals.has_matched_nothing()) json.key("nothingMatched").value(true);
  json.key("wanted").value(totals.wanted).key("groups").value(totals.groups);
  json.key("redundant").value(totals.redundant).key("reclaimable").value(totals.reclaimable);
  json.key("seconds").value(std::chrono::duration<double>(totals.elapsed).count());
}

Result<void> write(JsonWriter& json, const ReportFolder& folder,
                   const std::vector<std::size_t>& files, Chunk& chunk) {
  json.begin_array();
  for (const std::size_t file : files) {
    json.begin_object().bytes("name", folder.files[file].name);
    json.key("size").value(folder.files[file].size).end_object();
    TRY(chunk.pass_on_if_full());
  }
  json.end_array();
  return {};
}

Result<void> write(JsonWriter& json, const Folders& folders, const Overlap& overlap, Chunk& chunk) {
  const ReportFolder& one = folders[overlap.one];
  const ReportFolder& other = folders[overlap.other];
  const Difference difference = difference_of(folders, overlap);
  json.key("similarity").value(overlap.similarity()).key("matching").value(overlap.matching);
  json.key("union").value(overlap.all).key("bytes").value(overlap.bytes);
  json.key("first").begin_object().bytes("path", one.path).key("only");
  TRY(write(json, one, difference.only_one, chunk));
  json.end_object().key("second").begin_object().bytes("path", other.path).key("only");
  TRY(write(json, other, difference.only_other, chunk));
  json.end_object().key("different").begin_array();
  for (const auto& [here, there] : difference.changed) {
    json.begin_object().bytes("name", one.files[here].name);
    json.key("firstSize").value(one.files[here].size);
    json.key("secondSize").value(other.files[there].size).end_object();
    TRY(chunk.pass_on_if_full());
  }
  json.end_array();
  return {};
}

}  // namespace

std::string_view JsonReport::key_of(Section section) {
  switch (section) {
    case Section::groups:
      return "groups";
    case Section::uniques:
      return "uniques";
    case Section::folders:
      return "folders";
    case Section::overlaps:
      return "overlaps";
    case Section::failures:
      return "failures";
    case Section::totals:
    case Section::none:
      break;
  }
  return "totals";
}

bool JsonReport::is_wanted(Section section) const {
  switch (section) {
    case Section::groups:
      return !form_.has_uniques;
    case Section::uniques:
      return form_.has_uniques;
    case Section::folders:
    case Section::overlaps:
      return form_.has_folders;
    case Section::failures:
      return true;
    case Section::totals:
    case Section::none:
      break;
  }
  return false;
}

void JsonReport::enter(Section section) {
  assert(section_ <= section && "a part that comes too late");
  while (section_ < section) {
    if (is_open_) whole_.end_array();
    section_ = static_cast<Section>(static_cast<std::uint8_t>(section_) + 1);
    is_open_ = section_ != Section::totals && (is_wanted(section_) || section_ == section);
    if (is_open_) whole_.key(key_of(section_)).begin_array();
  }
}

JsonWriter& JsonReport::open(Section section, std::string_view event) {
  if (form_.has_lines) {
    line_.emplace(chunk_.text());
    return line_->begin_object().key("v").value(1).key("event").value(event).key("job").value(
        "dupes");
  }
  enter(section);
  return whole_.begin_object();
}

Result<void> JsonReport::close(JsonWriter& json) {
  json.end_object();
  if (form_.has_lines) chunk_.text() += '\n';
  return chunk_.pass_on_if_full();
}

Result<void> JsonReport::begin(std::uint64_t /*groups*/) {
  if (!form_.has_lines) whole_.begin_object().key("v").value(1).key("job").value("dupes");
  return {};
}

Result<void> JsonReport::group(const Group& group) {
  JsonWriter& json = open(Section::groups, "group");
  TRY(write(json, group, chunk_));
  return close(json);
}

Result<void> JsonReport::unique(const Copy& file) {
  JsonWriter& json = open(Section::uniques, "unique");
  json.key("size").value(file.stamp.size);
  TRY(write(json, file, chunk_));
  return close(json);
}

Result<void> JsonReport::same_folders(const Folders& folders, const SameFolders& same) {
  JsonWriter& json = open(Section::folders, "folders");
  json.key("files").value(same.files).key("bytes").value(same.bytes);
  json.key("members").begin_array();
  for (const std::size_t member : same.members) {
    json.begin_object().bytes("path", folders[member].path).end_object();
    TRY(chunk_.pass_on_if_full());
  }
  json.end_array();
  return close(json);
}

Result<void> JsonReport::overlap(const Folders& folders, const Overlap& overlap) {
  JsonWriter& json = open(Section::overlaps, "overlap");
  TRY(write(json, folders, overlap, chunk_));
  return close(json);
}

Result<void> JsonReport::failure(const FileFailure& failure) {
  JsonWriter& json = open(Section::failures, "failure");
  json.bytes("path", failure.path).bytes("step", failure.failure.step);
  json.bytes("reason", failure.failure.reason);
  return close(json);
}

Result<void> JsonReport::end(const ScanTotals& totals) {
  if (form_.has_lines) {
    JsonWriter& json = open(Section::totals, "end");
    write(json, totals);
    TRY(close(json));
  } else {
    enter(Section::totals);
    whole_.key("totals").begin_object();
    write(whole_, totals);
    whole_.end_object().end_object();
    chunk_.text() += '\n';
  }
  return chunk_.pass_on();
}

}  // namespace tidemill::dupes
