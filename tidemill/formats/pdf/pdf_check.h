// Checks a PDF with libqpdf, and checks its first and last bytes itself.
//
// The file is read in parts through a descriptor. Every stream whose filters are supported is
// decoded, with a limit on its size. Nothing here fails: every problem is a finding. (Only
// std::bad_alloc is thrown.) libqpdf has crashed on damaged files; call this where a crash does no
// harm (tidemill/io/sandbox).
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
  unusual_header,         // PDF-002: an unknown version
  damaged_xref,           // PDF-003
  damaged_trailer,        // PDF-004
  damaged_stream,         // PDF-005
  damaged_page_tree,      // PDF-006
  encrypted,              // PDF-007: opens with the empty password
  needs_password,         // PDF-008: or an unsupported security handler
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
  stream_too_large,       // exceeds PdfLimits: a bomb, or not decoded to the end
};

struct PdfFinding {
  Code code{};
  std::optional<std::uint32_t> object{};  // its number
  std::optional<std::uint64_t> offset{};  // in the file
  std::string text{};                     // details for a person; printable ASCII

  bool operator==(const PdfFinding&) const = default;
};

struct PdfLimits {
  Bytes stream = mib(256);         // decoded, of one stream
  Bytes all_streams = mib(1024);   // decoded, plus 64 times the size of the file
  std::uint32_t findings = 1'000;  // kept; the rest is only counted
};

struct PdfReport {
  std::vector<PdfFinding> findings{};    // in the order of detection
  std::uint64_t not_kept = 0;            // more than 10,000 end the check
  std::string version{};                 // "1.7", from the header; empty: none
  std::optional<std::uint32_t> pages{};  // nullopt: cannot be counted
  bool is_encrypted = false;
  bool is_signed = false;
  bool is_linearized = false;

  [[nodiscard]] bool has(Code code) const;
};

// One thread. Does not own the descriptor and does not move its offset.
[[nodiscard]] PdfReport check_pdf(int fd, const PdfLimits& limits = {});

}  // namespace tidemill::pdf
