// Any bytes as a style sheet and as a style attribute: no crash, no endless loop, and every
// reference is a part of the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tidemill/formats/epub/css/scanner.h"
#include "tidemill/formats/epub/references/url.h"

namespace {

using namespace tidemill::epub;

void check(std::string_view css, bool is_file, bool is_attribute) {
  Inspection book;
  Item item{.path = "OPS/a.css", .media_type = "text/css"};
  Document document{.book = &book, .path = "OPS/a.css", .item = is_file ? &item : nullptr};
  if (is_attribute) {
    check_style_attribute(document, css, {.line = 1, .column = 1});
  } else {
    check_css(document, css, {.line = 1, .column = 1});
  }
  if (is_file) return;  // it may have been another encoding
  for (const Reference& one : book.references.all()) {
    if (css.find(one.url) == std::string_view::npos) std::abort();
    if (one.target != resolve(one.url, document.path)) std::abort();
    if (one.at.line == 0 || one.at.column == 0) std::abort();
  }
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters here
  const std::string_view css(reinterpret_cast<const char*>(data), size);
  check(css, false, false);
  check(css, false, true);
  check(css, true, false);
  return 0;
}
