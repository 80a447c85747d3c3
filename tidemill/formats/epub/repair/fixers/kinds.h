// What kind of file an entry of a book is, when that is certain: its name and its first bytes
// agree.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// The media type; empty: it is not certain.
[[nodiscard]] std::string_view certain_type(const Inspection& found, const std::string& path);

// The name that was registered for a type which is known by another one; empty: none.
[[nodiscard]] std::string_view official_name(std::string_view declared, Edition edition);

// Whether the declared type may stand for that one: fonts have several names.
[[nodiscard]] bool stands_for(std::string_view declared, std::string_view type, Edition edition);

}  // namespace tidemill::epub
