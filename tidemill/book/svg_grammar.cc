#include <span>
#include <string_view>
#include <vector>

#include "tidemill/book/grammars.h"
#include "tidemill/book/svg_texts.h"
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {
namespace {

// EPUB 3, a document of its own: its ids are XML ids, and a foreignObject may have a whole body.
constexpr std::string_view kDocument = R"(
attributes svg-any += id:id
content svg-island |= body
start svg
)";

constexpr std::string_view kDocument11 = "start svg";

std::vector<std::string_view> with(std::span<const std::string_view> texts, std::string_view last) {
  std::vector<std::string_view> all(texts.begin(), texts.end());
  all.push_back(last);
  return all;
}

}  // namespace

const Grammar& svg_grammar() {
  static const Grammar grammar(with(xhtml5_texts(), kDocument));
  return grammar;
}

const Grammar& svg11_grammar() {
  static const Grammar grammar(with(svg11_grammar_texts(), kDocument11));
  return grammar;
}

}  // namespace tidemill::book
