// Whether a text is an anyURI as the schemas of EPUB 2 mean it: nearly everything is (spaces, any
// letters, braces), for what a URI may not hold is taken as if it were escaped. What is left to be
// wrong: a % without two hex digits, a second #, something before the first colon that is no
// scheme, nothing after it, no authority after //, square brackets that hold no address.
#pragma once

#include <string_view>

namespace tidemill::epub {

[[nodiscard]] bool is_any_uri(std::string_view value);

}  // namespace tidemill::epub
