// Checks one document of a book. Reads it once and passes the events to all its handlers: grammar,
// rules, links.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// ContentReader passes the content of a document to a sink in parts, until the sink returns false.
using ContentSink = std::function<bool(std::string_view)>;
using ContentReader = std::function<Result<void>(const ContentSink&)>;

enum class Markup : std::uint8_t { package, xhtml, svg, dtbook, ncx, overlay, search_keys };

// Reads the document and reports its faults. An entry that cannot be read is a finding too.
void check_markup(Document& document, Markup markup, const ContentReader& bytes);

// Reports a failed read of an entry: too large, encrypted, damaged.
void report_unread(const Document& document, const Failure& failure);

}  // namespace tidemill::epub
