#include "tidemill/formats/pdf/warning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "tidemill/formats/pdf/qpdf.h"

namespace tidemill::pdf {
namespace {

constexpr std::size_t kLongest = 300;

struct Sign {
  std::string_view words;
  Code code;
};

// The first entry that occurs in the message decides. Problems that every reader accepts silently
// come first: a duplicated key or a /Size that is slightly wrong is not damage.
constexpr std::array kSigns = {
    Sign{.words = "is not one plus the highest object number", .code = Code::other_warning},
    Sign{.words = "duplicated key", .code = Code::other_warning},
    Sign{.words = "stream keyword followed by", .code = Code::other_warning},
    Sign{.words = "extraneous whitespace", .code = Code::other_warning},
    Sign{.words = "linearization", .code = Code::damaged_linearization},
    Sign{.words = "hint table", .code = Code::damaged_linearization},
    Sign{.words = "loop detected", .code = Code::reference_loop},
    Sign{.words = "Loop detected", .code = Code::reference_loop},
    Sign{.words = "/Root", .code = Code::no_catalog},
    Sign{.words = "catalog", .code = Code::no_catalog},
    Sign{.words = "can't find PDF header", .code = Code::no_header},
    Sign{.words = "cross-reference", .code = Code::damaged_xref},
    Sign{.words = "Cross-reference", .code = Code::damaged_xref},
    Sign{.words = "startxref", .code = Code::damaged_xref},
    Sign{.words = "xref", .code = Code::damaged_xref},
    Sign{.words = "trailer", .code = Code::damaged_trailer},
    Sign{.words = "unknown encryption", .code = Code::needs_password},
    Sign{.words = "encryption", .code = Code::other_warning},
    Sign{.words = "/Pages", .code = Code::damaged_page_tree},
    Sign{.words = "/Kids", .code = Code::damaged_page_tree},
    Sign{.words = "pages tree", .code = Code::damaged_page_tree},
    Sign{.words = "/Page ", .code = Code::damaged_page_tree},
    Sign{.words = "object stream", .code = Code::damaged_object},
    Sign{.words = "stream", .code = Code::damaged_stream},
    Sign{.words = "/Length", .code = Code::damaged_stream},
    Sign{.words = "inflate", .code = Code::damaged_stream},
    Sign{.words = "offset 0", .code = Code::damaged_object},
    Sign{.words = "expected", .code = Code::damaged_object},
    Sign{.words = "token", .code = Code::damaged_object},
    Sign{.words = "EOF", .code = Code::damaged_object},
    Sign{.words = "dictionary", .code = Code::damaged_object},
    Sign{.words = "reading object", .code = Code::damaged_object},
    Sign{.words = "treating", .code = Code::damaged_object},
};

// The number in "object 12 0" or "stream object 12 0".
std::optional<std::uint32_t> number_in(std::string_view object) {
  constexpr std::string_view kWord = "object ";
  const std::size_t at = object.find(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = object.substr(at + kWord.size());
  std::uint32_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

Code code_of(std::string_view message, std::string_view object) {
  for (const Sign& sign : kSigns) {
    if (message.find(sign.words) == std::string_view::npos) continue;
    const bool is_about_xref = object.find("xref") != std::string_view::npos;
    if (is_about_xref && sign.code == Code::damaged_object) return Code::damaged_xref;
    return sign.code;
  }
  if (object.find("linearization") != std::string_view::npos) return Code::damaged_linearization;
  if (object.find("trailer") != std::string_view::npos) return Code::damaged_trailer;
  if (object.find("xref") != std::string_view::npos) return Code::damaged_xref;
  return Code::other_warning;
}

std::optional<PdfFinding> finding_of(const QPDFExc& warning) {
  const std::string& message = warning.getMessageDetail();
  if (message == "file is damaged") return std::nullopt;
  if (message.starts_with("recovered stream length")) return std::nullopt;
  if (message.starts_with("attempting to recover stream length")) return std::nullopt;
  PdfFinding finding{.code = code_of(message, warning.getObject()),
                     .object = number_in(warning.getObject()),
                     .text = as_ascii(message)};
  if (!finding.object) finding.object = number_in(message);  // "... for object 12 0: ..."
  if (warning.getErrorCode() == qpdf_e_password) finding.code = Code::needs_password;
  if (warning.getFilePosition() > 0) {
    finding.offset = static_cast<std::uint64_t>(warning.getFilePosition());
  }
  return finding;
}

std::string as_ascii(std::string_view text) {
  std::string clean(text.substr(0, kLongest));
  std::ranges::replace_if(clean, [](char c) { return c < ' ' || c > '~'; }, '?');
  return clean;
}

}  // namespace tidemill::pdf
