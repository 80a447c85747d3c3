// The part of CssParser that reads selectors: "p > a.note:not(.x)".
#include "tidemill/formats/epub/css/parser.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Kind = CssToken::Kind;

bool is_combinator(const CssToken& token) {
  return token.is('>') || token.is('+') || token.is('~');
}

}  // namespace

// Reads up to the '{'. The same loop reads the selectors inside :not(…) and the like, up to the
// ')'.
CssParser::Flow CssParser::read_selectors(const Token& first,
                                          std::vector<std::string_view>& classes) {
  expects_selector_ = true;
  may_begin_with_combinator_ = false;
  open_selectors_ = 0;
  saw_space_ = false;
  for (Token token = first;; token = take()) {
    if (token.kind == Kind::end) return Flow::ended;
    if (token.is('{') && !expects_selector_ && open_selectors_ == 0) return Flow::whole;
    if (is_between_selectors(token)) continue;
    expects_selector_ = false;
    saw_space_ = false;
    if (const Flow flow = read_simple_selector(token, classes); flow != Flow::whole) return flow;
  }
}

// White space, commas, combinators, and the ')' that ends a list in brackets.
bool CssParser::is_between_selectors(const Token& token) {
  const bool is_comment = token.kind == Kind::comment && (expects_selector_ || saw_space_);
  if (token.kind == Kind::space || is_comment) {
    saw_space_ = true;
    return true;
  }
  if (expects_selector_) {
    if (!may_begin_with_combinator_ || !is_combinator(token)) return false;
    may_begin_with_combinator_ = false;
    return true;
  }
  if (token.is(')') && open_selectors_ > 0) {
    --open_selectors_;
    saw_space_ = false;
    return true;
  }
  expects_selector_ = token.is(',') || is_combinator(token);
  return expects_selector_;
}

CssParser::Flow CssParser::read_simple_selector(const Token& first,
                                                std::vector<std::string_view>& classes) {
  may_begin_with_combinator_ = false;
  if (first.kind == Kind::ident || first.is('*') || first.is('|')) return read_type_selector(first);
  if (first.kind == Kind::class_name) classes.push_back(first.text);
  if (first.kind == Kind::class_name || first.kind == Kind::hash ||
      first.kind == Kind::percentage) {
    return Flow::whole;
  }
  if (first.is('[')) return read_attribute_selector();
  if (first.is(':')) return read_pseudo_selector();
  return broken("not a selector", first);
}

// E, *, ns|E, *|E, |E
CssParser::Flow CssParser::read_type_selector(const Token& first) {
  if (first.is('|')) {
    if (tokens_.peek().kind == Kind::end) return Flow::ended;
    if (tokens_.peek().kind != Kind::ident) return broken("not an element", tokens_.peek());
    take();
  } else if (tokens_.peek().is('|')) {
    take();
    const Token name = take();
    if (name.kind == Kind::end) return Flow::ended;
    if (name.kind != Kind::ident && !name.is('*')) return broken("not an element", name);
  } else if (tokens_.peek().kind == Kind::ident) {
    take();
  }
  return Flow::whole;
}

CssParser::Flow CssParser::read_attribute_selector() {
  const Token name = take_visible();
  if (name.kind == Kind::end) return Flow::ended;
  if (name.kind != Kind::ident && !name.is('*') && !name.is('|')) {
    return broken("not an attribute", name);
  }
  if (const Flow flow = read_type_selector(name); flow != Flow::whole) return flow;
  const Token match = take_visible();
  if (match.kind == Kind::end) return Flow::ended;
  if (match.is(']')) return Flow::whole;
  if (match.kind != Kind::match && !match.is('=')) return broken("not a comparison", match);
  const Token value = take_visible();
  if (value.kind == Kind::end) return Flow::ended;
  if (value.kind != Kind::ident && value.kind != Kind::string) {
    return broken("not a string or a name", value);
  }
  Token closer = take_visible();
  if (closer.kind == Kind::ident) closer = take_visible();  // [title="x" i]
  return closer.kind == Kind::end ? Flow::ended : Flow::whole;
}

CssParser::Flow CssParser::read_pseudo_selector() {
  Token name = take();
  if (name.is(':')) name = take();
  if (name.kind == Kind::end) return Flow::ended;
  if (name.kind != Kind::function) return Flow::whole;
  const bool may_begin = same_in_any_case(name.text, "has");
  if (may_begin || same_in_any_case(name.text, "not") || same_in_any_case(name.text, "is") ||
      same_in_any_case(name.text, "where")) {
    ++open_selectors_;
    expects_selector_ = true;
    may_begin_with_combinator_ = may_begin;
    return Flow::whole;
  }
  return read_brackets(')', '{');
}

}  // namespace tidemill::epub
