#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {
namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.w3.org/ns/SMIL"
namespace epub = "http://www.idpf.org/2007/ops"

element smil {version:(3.0)! id:id epub:prefix} (head?, body)
element head {} metadata?
element metadata {} any
element body {id:id epub:type epub:textref:uri} (seq | par)+
element seq  {id:id epub:type epub:textref:uri!} (seq | par)+
element par  {id:id epub:type} (text-clip, audio?)
element text-clip as text {id:id src:uri!} empty
element audio {id:id clipBegin:clock clipEnd:clock src:uri!} empty
start smil
)";

}  // namespace

const Grammar& overlay_grammar() {
  static constexpr std::array kTexts = {kText};
  static const Grammar grammar(kTexts);
  return grammar;
}

}  // namespace tidemill::book
