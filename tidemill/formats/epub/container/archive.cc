#include "tidemill/formats/epub/container/archive.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/container/paths.h"
#include "tidemill/formats/zip/records.h"

namespace tidemill::epub {
namespace {

bool report_oddity(const zip::Oddity& oddity, Findings& findings) {
  using Kind = zip::Oddity::Kind;
  switch (oddity.kind) {
    case Kind::no_central_directory:
    case Kind::central_is_damaged:
      findings.add("PKG-008", Place{}, oddity.text);
      return false;
    case Kind::local_header_missing:
    case Kind::names_differ:
    case Kind::sizes_differ:
    case Kind::count_differs:
      findings.add("TIDE-012", oddity.entry, {}, oddity.text);
      return true;
    case Kind::overlap:  // read, they may give any amount of bytes
      findings.add("TIDE-007", oddity.entry, {}, oddity.text);
      return false;
    case Kind::bytes_before:
    case Kind::bytes_after:
      findings.add("TIDE-013", oddity.entry, {}, oddity.text);
      return true;
    case Kind::bytes_between:
      return true;
    case Kind::too_many_entries:
      findings.add("TIDE-008", oddity.entry, {}, oddity.text);
      return false;
  }
  return true;
}

// What the headers claim, before anything is inflated.
bool check_claims(const zip::Archive& archive, Findings& findings) {
  const zip::Limits& limits = archive.limits();
  std::uint64_t total = 0;
  bool is_huge = false;
  for (const zip::Entry& entry : archive.entries()) {
    if (entry.size > limits.entry) {
      findings.add("TIDE-001", entry.name, {}, std::to_string(entry.size) + " bytes");
    }
    is_huge = is_huge || entry.size > limits.total - total;
    total += is_huge ? 0 : entry.size;
  }
  const bool is_bomb = total > limits.ratio_floor && total / limits.ratio > archive.file_size();
  if (is_huge || is_bomb) {
    findings.add("TIDE-002", Place{},
                 std::to_string(archive.file_size()) + " bytes that claim to hold " +
                     (is_huge ? "more than " : "") +
                     std::to_string(is_huge ? limits.total : total));
  }
  return !is_huge && !is_bomb;
}

}  // namespace

void check_first_bytes(const zip::Archive& archive, Findings& findings) {
  const std::string_view bytes = archive.first_bytes();
  if (bytes.size() < zip::kLocalSize + kMimetypePath.size() + kMimetypeContent.size()) {
    findings.add("PKG-003", Place{});
    return;
  }
  if (bytes[0] != 'P' && bytes[1] != 'K') {
    findings.add("PKG-004", Place{});
    return;
  }
  const std::uint16_t name_length = zip::u16(bytes, 26);
  const std::uint16_t extra_length = zip::u16(bytes, 28);
  if (name_length != kMimetypePath.size()) {
    findings.add("PKG-006", Place{});
  } else if (extra_length != 0) {
    findings.add("PKG-005", Place{}, std::to_string(extra_length));
  } else if (bytes.substr(zip::kLocalSize, kMimetypePath.size()) != kMimetypePath) {
    findings.add("PKG-006", Place{});
  }
}

bool check_packing(const zip::Archive& archive, Findings& findings) {
  bool is_known = true;
  for (const zip::Entry& entry : archive.entries()) {
    if (entry.is_encrypted()) findings.add("TIDE-011", entry.name, {});
    is_known = is_known && !entry.is_encrypted() && (entry.method == 0 || entry.method == 8);
  }
  if (!is_known) findings.add("PKG-027", Place{}, "an entry is encrypted or packed in a rare way");
  return is_known;
}

void check_mimetype(const zip::Archive& archive, Findings& findings) {
  const zip::Entry* entry = archive.find(kMimetypePath);
  if (entry == nullptr) return;
  const auto content = archive.read_head(*entry, kMimetypeContent.size() + 1);
  if (!content || *content != kMimetypeContent) {
    findings.add("PKG-007", kMimetypePath, {}, content ? *content : content.error().reason);
  }
}

bool check_zip(const zip::Archive& archive, Findings& findings) {
  bool is_sound = true;
  for (const zip::Oddity& oddity : archive.oddities()) {
    is_sound = report_oddity(oddity, findings) && is_sound;
  }
  for (const zip::Entry& entry : archive.entries()) {
    if (entry.is_symlink()) findings.add("TIDE-014", entry.name, {});
  }
  return check_claims(archive, findings) && is_sound;
}

}  // namespace tidemill::epub
