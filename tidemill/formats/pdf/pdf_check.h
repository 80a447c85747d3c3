// Checks a PDF through libqpdf, and with a look of our own at its first and last bytes.
//
// The file is read through a descriptor, piece by piece. Every stream whose filters are known is
// decoded, with a bound on its size. Nothing here fails: what goes wrong is a finding. libqpdf has
// crashed on damaged files; call this where a crash does no harm (tidemill/io/sandbox).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"

namespace tidemill::pdf {

enum class Code : std::uint8_t {
  no_header,              // PDF-001
  unusual_header,         // PDF-002: a version nobody knows, or not at the first byte
  damaged_xref,           // PDF-003
  damaged_trailer,        // PDF-004
  damaged_stream,         // PDF-005
  damaged_page_tree,      // PDF-006
  encrypted,              // PDF-007: opens with the empty password
  needs_password,         // PDF-008: or a security handler nobody knows
  damaged_object,         // PDF-009
  other_warning,          // PDF-010
  truncated,              // PDF-011: no %%EOF
  unreadable,             // PDF-012
  damaged_linearization,  // PDF-013
  is_signed,              // PDF-014
  no_pages,               // PDF-015
  bytes_around,           // PDF-016: before the header or after the end
  no_catalog,             // PDF-017
  reference_loop,         // PDF-018
  stream_too_large,       // beyond Limits: a bomb, or not looked at to the end
};

struct Finding {
  Code code{};
  std::optional<std::uint32_t> object{};  // its number
  std::optional<std::uint64_t> offset{};  // in the file
  std::string text{};                     // what exactly, for a person; printable ASCII

  bool operator==(const Finding&) const = default;
};

struct Limits {
  Bytes stream = mib(256);  // decoded, of one stream
  Bytes all_streams = mib(1024);
  std::uint32_t findings = 1'000;  // kept; the rest is counted
};

struct Report {
  std::vector<Finding> findings{};       // in the order they were found
  std::uint64_t not_kept = 0;            // some thousands of them end the check
  std::string version{};                 // "1.7" as the header says; empty: none
  std::optional<std::uint32_t> pages{};  // nothing: cannot be counted
  bool is_encrypted = false;
  bool is_signed = false;
  bool is_linearized = false;

  [[nodiscard]] bool has(Code code) const;
};

// One thread. The descriptor stays the caller's and its offset is not moved.
[[nodiscard]] Report check_pdf(int fd, const Limits& limits = {});

}  // namespace tidemill::pdf
