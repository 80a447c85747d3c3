// Grammar: a schema for XML documents, which elements and attributes are allowed where. It is
// written in a small language of our own:
//
//   namespace = "http://www.w3.org/1999/xhtml"         of names without a prefix
//   namespace epub = "http://www.idpf.org/2007/ops"
//   attributes core = id:id class title dir:(ltr|rtl|auto) xml:lang:language data-* epub:type
//   content phrasing = em | a | img
//   element p   {@core} (text | phrasing)*
//   element img {@core src:uri! alt} empty
//   element dl  {@core} (dt+, dd+)*
//   element nav-ol as ol {@core} nav-li+               another type for the same tag
//   start html
//
// A name in a content pattern is an element type or a named content. Operators: `,` sequence, `|`
// choice, `&` any order (also interleaved), `*` `+` `?`, brackets (required where operators are
// mixed); `text`, `empty`, `any` (the rest is not checked). Wildcards match an element with its
// content: `foreign` (a namespace that the grammar does not declare), `other` (a declared
// namespace, but an unknown tag), `custom` (like other, in the first namespace and with a hyphen in
// its name), `unnamed` (any element that its name does not allow here), `unnamed=g` (the same,
// checked as type g). Within one pattern a tag must have one type only. `text:date` instead of a
// pattern: only text, which must be of that datatype.
//
// Attributes: `name:datatype!`; without a datatype any text, `!` required, `(a|b)` one of these,
// `~(a|b)` ignoring case, `list(a|b)` a list of these words, `length|(auto)` either; `prefix-*` any
// name with that prefix, `prefix:*` any name of that namespace, `foreign` any name of a namespace
// that the grammar does not declare, `*` any. A later attribute overrides an earlier one of the
// same name. Every xmlns declaration is allowed.
//
//   attributes state = aria-checked:(true|false)       attributes that only some roles allow
//   states checkbox|switch = aria-checked!             the roles, and whether it is required
//   element h1 {@core role:(tab|none) %heading} text   states allowed without a role
//   element h2 {@core role:(tab) %tab=heading} text    states of a role on this element only
//
//   element input when type=hidden|image {…} empty     the same type if the attribute has the value
//   element a when href {…} text                       … or is present; after the plain element
//   content flow |= svg        attributes core += is   extends a content or a set
//   any-case type dir                                  compares their values ignoring case
//
// `&` of n optional parts has 2^n states: keep n small. `#` begins a comment. A grammar may consist
// of several texts: each declares its own namespaces, all other names are shared, and one text has
// `start`.
//
// Checking is linear: each content pattern is a state machine whose states are built on first use
// (derivatives) and kept. After a mistake the check continues as if the offending element were
// absent; its content is checked by the type of its tag if there is one, otherwise not at all.
//
// A syntax error in a grammar is a bug: it aborts the program with the line. Documents never fail;
// their mistakes are reported to a listener.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread, because its state machines grow during use.
class Grammar {
 public:
  explicit Grammar(std::span<const std::string_view> texts);
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;
  ~Grammar();

  struct Tables;
  [[nodiscard]] Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

// Receives each mistake: a sentence ("element \"b\" is not allowed here; expected: li") and its
// position.
class GrammarListener {
 public:
  GrammarListener() = default;
  GrammarListener(const GrammarListener&) = delete;
  GrammarListener& operator=(const GrammarListener&) = delete;
  virtual ~GrammarListener() = default;
  virtual void mistake(std::string sentence, xml::Position where) = 0;
};

// Validates one document against a grammar. One thread. Grammar and listener must outlive it.
class GrammarCheck final : public xml::Handler {
 public:
  GrammarCheck(const Grammar& grammar, GrammarListener& listener);
  ~GrammarCheck() override;

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// True if the value is of the datatype. An unknown datatype in a grammar aborts the program. The
// names are in datatypes.cc: text, id (NCName; uniqueness is checked elsewhere), idref, idrefs,
// ncname, nmtoken, token (not empty), uri, language, integer, nonneg, positive, number, length,
// date, time, datetime, mime, …
using Datatype = bool (*)(std::string_view value);
[[nodiscard]] Datatype datatype_named(std::string_view name);  // null: unknown

}  // namespace tidemill::epub
