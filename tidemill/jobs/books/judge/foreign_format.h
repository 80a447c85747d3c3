// Formats of e-books that are neither EPUB nor PDF: what they are called, so that nobody is told
// that a sound MOBI is a broken EPUB.
#pragma once

#include <optional>
#include <string_view>

namespace tidemill::books {

// `head`: the first bytes of the file, at least 68 where it has them. They count more than the
// name. Nothing: it may be an EPUB or a PDF.
[[nodiscard]] std::optional<std::string_view> foreign_format(std::string_view name,
                                                             std::string_view head);

}  // namespace tidemill::books
