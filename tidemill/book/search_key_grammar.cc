#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {
namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.idpf.org/2007/ops"

element search-key-map   {xml:lang:language! id:id dir:(ltr|rtl)} search-key-group+
element search-key-group {href:uri! id:id} match+
element match {href:uri value title phonogram id:id xml:lang:language} value*
element value {value!} empty
start search-key-map
)";

}  // namespace

const Grammar& search_key_grammar() {
  static constexpr std::array kTexts = {kText};
  static const Grammar grammar(kTexts);
  return grammar;
}

}  // namespace tidemill::book
