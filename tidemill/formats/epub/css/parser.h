// CSS parser: reports rules, at-rules and declarations to a listener as it reads them.
//
// It is as strict as EPUBCheck (also where browsers are lenient, as with ";;") and recovers from
// errors the same way, so that both report the same mistakes. Brackets may nest to any depth: the
// parser does not recurse.
//
// Never fails: errors are reported to CssListener::mistake().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/css/tokens.h"

namespace tidemill::epub {

// A declaration or the head of an at-rule. The views live as long as the text.
struct CssStatement {
  std::string name{};  // lower case: "color", "@import"
  xml::Position at{};
  CssToken first{};              // its first value; Kind::end: none
  std::vector<CssToken> urls{};  // every url() that is a value by itself
  bool closes_block = false;     // a declaration terminated by the '}' of its block
};

class CssListener {
 public:
  CssListener() = default;
  CssListener(const CssListener&) = delete;
  CssListener& operator=(const CssListener&) = delete;
  virtual ~CssListener() = default;

  virtual void mistake(std::string_view what, xml::Position at) = 0;
  virtual void start_at_rule(const CssStatement& rule) = 0;
  virtual void end_at_rule() = 0;
  virtual void declaration(const CssStatement& declaration) = 0;
  // The class names of a rule's selectors, each with its dot.
  virtual void selectors(const std::vector<std::string_view>& classes, xml::Position at) = 0;
};

// One thread. The listener must outlive it.
class CssParser {
 public:
  CssParser(std::string_view css, xml::Position start, CssListener& listener)
      : tokens_(css, start), listener_(listener) {}

  void read_sheet();
  void read_declarations();  // of a style attribute

 private:
  // Result of reading a construct: complete, broken, or cut off by the end of the text. broken()
  // and ended() report the mistake.
  enum class Flow : std::uint8_t { whole, broken, ended };
  using Token = CssToken;

  Token take();          // any token
  Token take_visible();  // neither space nor comment
  [[nodiscard]] Token peek_visible();
  Flow ended(std::string_view what);
  Flow broken(std::string_view what, const Token& token);
  bool skip_to(char mark, char other = '\0');  // false: the text ended

  Flow read_rule(const Token& first);
  Flow read_block(Token first);
  Flow read_declaration(const Token& name, CssStatement& statement, bool is_attribute);
  Flow read_values(Token first, CssStatement& statement, bool is_attribute);
  // One value with the content of its brackets, which must not contain `limit` or ';'. Does not
  // report the end of the text.
  Flow read_value(const Token& first, char limit, CssStatement& statement);
  Flow read_brackets(char closer, char limit);
  Flow read_at_rule(const Token& keyword);
  Flow read_at_rule_head(CssStatement& statement, bool& has_block);
  bool skip_at_rule();  // false: the text ended

  Flow read_selectors(const Token& first, std::vector<std::string_view>& classes);
  bool is_between_selectors(const Token& token);
  Flow read_simple_selector(const Token& first, std::vector<std::string_view>& classes);
  Flow read_type_selector(const Token& first);
  Flow read_attribute_selector();
  Flow read_pseudo_selector();

  CssTokens tokens_;
  CssListener& listener_;
  xml::Position last_{};
  std::size_t open_rules_ = 0;      // open at-rules whose block contains rules
  std::size_t open_selectors_ = 0;  // open brackets of :not(…) and the like
  bool expects_selector_ = false;
  bool saw_space_ = false;
  bool may_begin_with_combinator_ = false;
};

}  // namespace tidemill::epub
