// One document of a book, read once and heard by all who check it: its grammar, its rules, its
// links.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// What hands over the bytes of a document, in parts, until the sink says that it needs no more.
using Sink = std::function<bool(std::string_view)>;
using Bytes = std::function<Result<void>(const Sink&)>;

enum class Markup : std::uint8_t { package, xhtml, svg, dtbook, ncx, overlay, search_keys };

// Reads and reports. An entry that cannot be read is a finding too.
void check_markup(Document& document, Markup markup, const Bytes& bytes);

// What a failed read of an entry becomes: too large, encrypted, damaged.
void report_unread(const Document& document, const Failure& failure);

}  // namespace tidemill::epub
