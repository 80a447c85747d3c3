#include "tidemill/formats/epub/css/parser.h"

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Kind = CssToken::Kind;

// A value that is one token.
bool is_atom(Kind kind) {
  switch (kind) {
    case Kind::ident:
    case Kind::url:
    case Kind::string:
    case Kind::range:
    case Kind::hash:
    case Kind::class_name:
    case Kind::number:
    case Kind::percentage:
      return true;
    default:
      return false;
  }
}

}  // namespace

CssToken CssParser::take() {
  const Token token = tokens_.next();
  if (!token.problem.empty()) listener_.mistake(token.problem, token.at);
  if (token.kind != Kind::end) last_ = token.at;
  return token;
}

CssToken CssParser::take_visible() {
  Token token = take();
  while (token.kind == Kind::space || token.kind == Kind::comment) token = take();
  return token;
}

CssToken CssParser::peek_visible() {
  while (tokens_.peek().kind == Kind::space || tokens_.peek().kind == Kind::comment) take();
  return tokens_.peek();
}

CssParser::Flow CssParser::ended(std::string_view what) {
  listener_.mistake(what, last_);
  return Flow::ended;
}

CssParser::Flow CssParser::broken(std::string_view what, const Token& token) {
  listener_.mistake(std::string(what) + ": " + std::string(token.text.substr(0, 80)), token.at);
  return Flow::broken;
}

bool CssParser::skip_to(char mark, char other) {
  while (true) {
    const Token& ahead = tokens_.peek();
    if (ahead.kind == Kind::end) return false;
    if (ahead.is(mark) || ahead.is(other)) return true;
    take();
  }
}

void CssParser::read_sheet() {
  while (true) {
    const Token token = take_visible();
    if (token.kind == Kind::end) {
      if (open_rules_ > 0) {
        ended("a block is not closed");
        for (; open_rules_ > 0; --open_rules_) listener_.end_at_rule();
      }
      return;
    }
    if (token.kind == Kind::html_comment && open_rules_ == 0) continue;
    if (open_rules_ > 0 && token.is('}')) {
      --open_rules_;
      listener_.end_at_rule();
      continue;
    }
    const Flow flow = token.kind == Kind::at_keyword ? read_at_rule(token) : read_rule(token);
    if (flow == Flow::ended) return;
  }
}

void CssParser::read_declarations() {
  while (true) {
    const Token token = take_visible();
    if (token.kind == Kind::end) return;
    if (token.is(';')) continue;
    CssStatement statement;
    if (read_declaration(token, statement, true) != Flow::whole) return;
    listener_.declaration(statement);
  }
}

CssParser::Flow CssParser::read_rule(const Token& first) {
  std::vector<std::string_view> classes;
  switch (read_selectors(first, classes)) {
    case Flow::ended:
      return ended("a rule has no {");
    case Flow::broken:
      if (!skip_to('}')) return ended("a rule is not closed");
      take();
      return Flow::whole;
    case Flow::whole:
      break;
  }
  listener_.selectors(classes, first.at);
  const Token start = take_visible();
  if (start.kind == Kind::end) return ended("a block is not closed");
  return read_block(start);
}

// Declarations up to the '}'.
CssParser::Flow CssParser::read_block(Token first) {
  while (!first.is('}')) {
    CssStatement statement{.at = first.at};
    const Flow flow = read_declaration(first, statement, false);
    if (flow == Flow::ended) return flow;
    if (flow == Flow::whole) {
      listener_.declaration(statement);
      if (statement.closes_block) return Flow::whole;
      first = take_visible();
    } else {
      if (!skip_to(';', '}')) return ended("a block is not closed");
      first = take();
      if (first.is(';')) first = take_visible();
    }
    if (first.kind == Kind::end) return ended("a block is not closed");
  }
  return Flow::whole;
}

CssParser::Flow CssParser::read_declaration(const Token& name, CssStatement& statement,
                                            bool is_attribute) {
  if (name.kind != Kind::ident) return broken("not a property", name);
  statement.name = lowered(name.text);
  const Token colon = take_visible();
  if (colon.kind == Kind::end) return ended("a property has no value");
  if (!colon.is(':')) return broken("a property has no colon", name);
  while (true) {
    const Token value = take_visible();
    if (value.kind == Kind::end) return ended("a declaration is not terminated");
    if (value.is(';') || value.is('}')) {
      const bool is_empty = statement.first.kind == Kind::end;
      if (is_empty && !statement.name.starts_with("--")) {
        return broken("a property has no value", name);
      }
      statement.closes_block = value.is('}');
      return Flow::whole;
    }
    const Flow flow = read_values(value, statement, is_attribute);
    if (flow == Flow::ended) return ended("a declaration is not terminated");
    if (flow == Flow::broken) return flow;
    if (is_attribute && peek_visible().kind == Kind::end) return Flow::whole;
  }
}

CssParser::Flow CssParser::read_values(Token first, CssStatement& statement, bool is_attribute) {
  while (true) {
    if (first.kind != Kind::important) {
      const Flow flow = read_value(first, '}', statement);
      if (flow != Flow::whole) return flow;
    }
    const Token ahead = peek_visible();
    const bool is_end = is_attribute && ahead.kind == Kind::end;
    if (is_end || ahead.is(';') || (!is_attribute && ahead.is('}'))) {
      if (statement.first.kind != Kind::end) return Flow::whole;
      return broken("a property has no value", first);
    }
    first = take_visible();
    if (first.kind == Kind::end) return Flow::ended;
  }
}

CssParser::Flow CssParser::read_value(const Token& first, char limit, CssStatement& statement) {
  if (statement.first.kind == Kind::end) statement.first = first;
  if (first.kind == Kind::url) statement.urls.push_back(first);
  if (is_atom(first.kind)) return Flow::whole;
  if (first.kind == Kind::function || first.is('(')) return read_brackets(')', limit);
  if (first.is('[')) return read_brackets(']', limit);
  if (first.kind == Kind::mark && !first.is('{') && !first.is('}') && !first.is(';')) {
    return Flow::whole;
  }
  return broken("not a value", first);
}

CssParser::Flow CssParser::read_brackets(char closer, char limit) {
  std::string closers(1, closer);
  while (!closers.empty()) {
    const Token token = take_visible();
    if (token.kind == Kind::end) return Flow::ended;
    if (token.is(closers.back())) {
      closers.pop_back();
    } else if (token.is(';') || token.is(limit) || token.is('{') || token.is('}')) {
      return broken("a bracket is not closed before", token);
    } else if (token.kind == Kind::function || token.is('(')) {
      closers.push_back(')');
    } else if (token.is('[')) {
      closers.push_back(']');
    } else if (!is_atom(token.kind) && token.kind != Kind::mark) {
      return broken("not a value", token);
    }
  }
  return Flow::whole;
}

CssParser::Flow CssParser::read_at_rule_head(CssStatement& statement, bool& has_block) {
  while (true) {
    const Token token = take_visible();
    if (token.kind == Kind::end) return Flow::ended;
    has_block = token.is('{');
    if (has_block || token.is(';')) return Flow::whole;
    const Flow flow = read_value(token, '{', statement);
    if (flow == Flow::broken) return skip_at_rule() ? flow : Flow::ended;
    if (flow == Flow::ended) return flow;
  }
}

// Skips to the ';' or past the block of the at-rule, whatever it contains.
bool CssParser::skip_at_rule() {
  std::int64_t depth = 0;
  while (true) {
    const Token token = take();
    if (token.kind == Kind::end) return false;
    if (token.is(';') && depth == 0) return true;
    if (token.is('{')) ++depth;
    if (token.is('}') && depth-- == 1) return true;
  }
}

CssParser::Flow CssParser::read_at_rule(const Token& keyword) {
  CssStatement statement{.name = lowered(keyword.text), .at = keyword.at};
  bool has_block = false;
  const Flow head = read_at_rule_head(statement, has_block);
  if (head == Flow::broken) return Flow::whole;
  listener_.start_at_rule(statement);
  if (head == Flow::ended) {
    ended("an at-rule is not terminated");
    listener_.end_at_rule();
    return Flow::ended;
  }
  if (has_block && tokens_.has_rules_ahead()) {
    ++open_rules_;
    return Flow::whole;
  }
  Flow flow = Flow::whole;
  if (has_block) {
    const Token first = take_visible();
    flow = first.kind == Kind::end ? ended("a block is not closed") : read_block(first);
  }
  listener_.end_at_rule();
  return flow;
}

}  // namespace tidemill::epub
