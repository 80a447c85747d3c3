#include "tidemill/formats/epub/container/archive.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/formats/zip/records.h"

namespace tidemill::epub {
namespace {

bool report_oddity(const zip::Oddity& oddity, Findings& findings) {
  using Kind = zip::Oddity::Kind;
  switch (oddity.kind) {
    case Kind::no_central_directory:
    case Kind::central_is_damaged:
      findings.add("PKG-008", FindingPlace{}, oddity.text);
      return false;
    case Kind::local_header_missing:
    case Kind::names_differ:
    case Kind::sizes_differ:
    case Kind::count_differs:
      findings.add("TIDE-012", oddity.entry, {}, oddity.text);
      return true;
    case Kind::overlap:  // overlapping entries may inflate to any size
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

// Checks the sizes in the headers before anything is inflated.
bool check_claims(const zip::Archive& archive, Findings& findings) {
  const zip::ArchiveLimits& limits = archive.limits();
  std::uint64_t total = 0;
  bool is_huge = false;
  for (const zip::ZipEntry& entry : archive.entries()) {
    if (entry.size > limits.entry) {
      findings.add("TIDE-001", entry.name, {}, std::to_string(entry.size) + " bytes");
    }
    is_huge = is_huge || entry.size > limits.total - total;
    total += is_huge ? 0 : entry.size;
  }
  const bool is_bomb = total > limits.ratio_floor && total / limits.ratio > archive.file_size();
  if (is_huge || is_bomb) {
    findings.add("TIDE-002", FindingPlace{},
                 std::to_string(archive.file_size()) + " bytes that claim to expand to " +
                     (is_huge ? "more than " : "") +
                     std::to_string(is_huge ? limits.total : total));
  }
  return !is_huge && !is_bomb;
}

}  // namespace

void check_first_bytes(const zip::Archive& archive, Findings& findings) {
  const std::string_view bytes = archive.first_bytes();
  if (bytes.size() < zip::kLocalSize + kMimetypePath.size() + kMimetypeContent.size()) {
    findings.add("PKG-003", FindingPlace{});
    return;
  }
  if (bytes[0] != 'P' && bytes[1] != 'K') {
    findings.add("PKG-004", FindingPlace{});
    return;
  }
  const std::uint16_t name_length = zip::u16(bytes, 26);
  const std::uint16_t extra_length = zip::u16(bytes, 28);
  if (name_length != kMimetypePath.size()) {
    findings.add("PKG-006", FindingPlace{});
  } else if (extra_length != 0) {
    findings.add("PKG-005", FindingPlace{}, std::to_string(extra_length));
  } else if (bytes.substr(zip::kLocalSize, kMimetypePath.size()) != kMimetypePath) {
    findings.add("PKG-006", FindingPlace{});
  }
}

bool check_packing(const zip::Archive& archive, Findings& findings) {
  bool is_known = true;
  for (const zip::ZipEntry& entry : archive.entries()) {
    if (entry.is_encrypted()) findings.add("TIDE-011", entry.name, {});
    is_known = is_known && !entry.is_encrypted() && (entry.method == 0 || entry.method == 8);
  }
  if (!is_known)
    findings.add("PKG-027", FindingPlace{},
                 "an entry is encrypted or uses an unsupported compression method");
  return is_known;
}

void check_mimetype(const zip::Archive& archive, Findings& findings) {
  const zip::ZipEntry* entry = archive.find(kMimetypePath);
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
  for (const zip::ZipEntry& entry : archive.entries()) {
    if (entry.is_symlink()) findings.add("TIDE-014", entry.name, {});
  }
  return check_claims(archive, findings) && is_sound;
}

// Names of entries.
namespace {

using Range = std::pair<char32_t, char32_t>;  // the first and the last

bool is_in(char32_t code, auto& ranges) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return code >= range.first && code <= range.second; });
}

bool is_white_space(char32_t code) {
  static constexpr std::array kSpaces = {
      Range(0x09, 0x0d),     Range(0x20, 0x20),     Range(0x85, 0x85),     Range(0xa0, 0xa0),
      Range(0x1680, 0x1680), Range(0x2000, 0x200a), Range(0x2028, 0x2029), Range(0x202f, 0x202f),
      Range(0x205f, 0x205f), Range(0x3000, 0x3000)};
  return is_in(code, kSpaces);
}

}  // namespace

bool is_forbidden_in_names(char32_t code) {
  if (code < 0x80) {
    return code < 0x20 || code == 0x7f || std::u32string_view(U"\"*:<>?\\|").contains(code);
  }
  static constexpr std::array kForbidden = {Range(0x80, 0x9f),       Range(0xe000, 0xf8ff),
                                            Range(0xfdd0, 0xfdef),   Range(0xfff0, 0xffff),
                                            Range(0xe0001, 0xe0001), Range(0xf0000, 0x10ffff)};
  return is_in(code, kForbidden) || (code & 0xfffeU) == 0xfffeU;
}

namespace {

void check_characters(const std::string& name, Findings& findings) {
  bool has_forbidden = false;
  bool has_space = false;
  bool is_ascii = true;
  for (std::string_view rest = name; !rest.empty();) {
    const text::Character next = text::front_character(rest);
    rest.remove_prefix(next.length);
    has_forbidden = has_forbidden || is_forbidden_in_names(next.code);
    has_space = has_space || is_white_space(next.code);
    is_ascii = is_ascii && next.code < 0x80;
  }
  if (name.ends_with('.')) findings.add("PKG-011", name, {}, name);
  if (has_forbidden) findings.add("PKG-009", name, {}, name);
  if (has_space) findings.add("PKG-010", name, {}, name);
  if (!is_ascii) findings.add("PKG-012", name, {}, name);
}

// Absolute, with a drive letter, or with "..": a careless unpacker writes it outside its folder.
bool leads_out(std::string_view name) {
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  if (name.empty()) return false;
  if (is_slash(name[0])) return true;
  const char drive = static_cast<char>(name[0] | 0x20);
  if (name.size() > 2 && name[1] == ':' && is_slash(name[2]) && drive >= 'a' && drive <= 'z') {
    return true;
  }
  while (true) {
    const auto* const end = std::ranges::find_if(name, is_slash);
    const auto length = static_cast<std::size_t>(end - name.begin());
    if (name.substr(0, length) == "..") return true;
    if (length == name.size()) return false;
    name.remove_prefix(length + 1);
  }
}

// Files that are the same after folding: each but the first is reported.
void check_duplicates(const std::vector<std::string_view>& files, Findings& findings) {
  std::vector<std::pair<std::string, std::size_t>> folded;
  folded.reserve(files.size());
  for (std::size_t at = 0; at < files.size(); ++at) folded.emplace_back(folded_name(files[at]), at);
  std::ranges::sort(folded);
  std::vector<std::size_t> again;
  for (std::size_t i = 1; i < folded.size(); ++i) {
    if (folded[i].first == folded[i - 1].first) again.push_back(folded[i].second);
  }
  std::ranges::sort(again);
  for (const std::size_t at : again) {
    findings.add("OPF-060", files[at], {}, std::string(files[at]));
  }
}

// Some name begins with the folder. The names must be sorted.
bool has_inside(const std::vector<std::string_view>& sorted, std::string_view folder) {
  const auto found = std::ranges::lower_bound(sorted, folder);
  return found != sorted.end() && found->starts_with(folder);
}

void check_folders(const std::vector<std::string_view>& files,
                   const std::vector<std::string_view>& folders, Findings& findings) {
  std::vector<std::string_view> sorted_files = files;
  std::ranges::sort(sorted_files);
  std::vector<std::string_view> all = sorted_files;
  all.insert(all.end(), folders.begin(), folders.end());
  std::ranges::sort(all);
  for (const std::string_view folder : folders) {
    if (!has_inside(sorted_files, folder)) {
      findings.add("PKG-014", folder, {}, std::string(folder));
    }
  }
  for (const std::string_view file : sorted_files) {
    const std::string as_folder = std::string(file) + "/";
    if (has_inside(all, as_folder)) findings.add("TIDE-018", file, {}, std::string(file));
  }
}

}  // namespace

bool check_names(const zip::Archive& archive, Findings& findings) {
  std::vector<std::string_view> files;
  std::vector<std::string_view> folders;
  for (const zip::ZipEntry& entry : archive.entries()) {
    if (!text::is_utf8(entry.name)) {
      findings.add("PKG-027", FindingPlace{}, entry.name);
      return false;
    }
    (entry.is_folder() ? folders : files).push_back(entry.name);
  }
  for (const zip::ZipEntry& entry : archive.entries()) {
    if (leads_out(entry.name)) findings.add("TIDE-006", entry.name, {}, entry.name);
    if (!entry.is_folder()) check_characters(entry.name, findings);
  }
  check_duplicates(files, findings);
  check_folders(files, folders, findings);
  return true;
}

}  // namespace tidemill::epub
