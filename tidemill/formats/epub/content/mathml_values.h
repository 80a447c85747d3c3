// Values of MathML attributes: lengths, the lengths of mpadded, and colours.
#pragma once

#include <string_view>

namespace tidemill::epub {

// "2em", "-.5", "50%", "thinmathspace", "negativeverythickmathspace".
[[nodiscard]] bool is_math_length(std::string_view value);
// Also with a plus, and by another measure: "+20% height", "2 width".
[[nodiscard]] bool is_math_padding(std::string_view value);
// "#a0c", "#aa00cc", or one of the sixteen colours of HTML in any case.
[[nodiscard]] bool is_math_color(std::string_view value);

}  // namespace tidemill::epub
