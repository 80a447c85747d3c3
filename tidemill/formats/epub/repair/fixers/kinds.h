// Detects the media type of an entry if it is certain: the name and the first bytes agree.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// The media type; empty: not certain.
[[nodiscard]] std::string_view certain_type(const Inspection& found, const std::string& path);

// The registered name of a media type that is also known by the declared name; empty: none.
[[nodiscard]] std::string_view official_name(std::string_view declared, Edition edition);

// The declared media type is acceptable for a file of `type`: fonts have several names.
[[nodiscard]] bool stands_for(std::string_view declared, std::string_view type, Edition edition);

}  // namespace tidemill::epub
