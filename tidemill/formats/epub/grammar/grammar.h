// Grammar: which elements and attributes may stand where, read from a small text of ours.
//
//   namespace = "http://www.w3.org/1999/xhtml"        the one of names without a prefix
//   namespace epub = "http://www.idpf.org/2007/ops"
//   attributes core = id:id class title dir:(ltr|rtl|auto) xml:lang:language data-* epub:type
//   content phrasing = em | a | img
//   element p   {@core} (text | phrasing)*
//   element img {@core src:uri! alt} empty
//   element dl  {@core} (dt+, dd+)*
//   element nav-ol as ol {@core} nav-li+               the same tag, another meaning in its place
//   start html
//
// A name in a content pattern is an element's type or a named content. Operators: `,` then, `|` or,
// `&` in any order (also interleaved), `*` `+` `?`, brackets (needed where operators are mixed);
// `text`, `empty`, `any` (whatever follows is not looked at). An element by no name of its own,
// with all inside it: `foreign` (of a namespace that the grammar does not declare), `other` (of one
// that it declares, but no tag of it), `custom` (as other, with a hyphen in its name, in the first
// namespace), `unnamed` (whatever has no place by its name), `unnamed=g` (the same, looked at as
// if it were of the type g). In one pattern a tag means one type only (it asserts). `text:date`
// instead of a pattern: text only, and all of it of that datatype.
//
// Attributes: `name:datatype!`; without a datatype any text, `!` required, `(a|b)` one of these,
// `~(a|b)` in any case, `list(a|b)` words of these, `length|(auto)` either; `prefix-*` any name
// that begins so, `prefix:*` any of that namespace, `foreign` any of a namespace the grammar does
// not declare, `*` any. A later one of the same name counts. Every xmlns declaration is allowed.
//
//   attributes state = aria-checked:(true|false)       which attributes go with some roles only,
//   states checkbox|switch = aria-checked!             and with which, required or not
//   element h1 {@core role:(tab|none) %heading} text   states that it has without a role
//   element h2 {@core role:(tab) %tab=heading} text    … and with a role, other than elsewhere
//
//   element input when type=hidden|image {…} empty     the same type, when the attribute is so
//   element a when href {…} text                       … or is there; after the plain one
//   content flow |= svg        attributes core += is   more for a content or a set
//   any-case type dir                                  their values are compared in any case
//
// `&` of n optional parts has 2^n states: keep n small. `#` begins a comment. A grammar may be made
// of several texts: namespaces are told in each, all other names are common; one text has `start`.
//
// Checking is linear: each content pattern is a machine whose states are made when they are first
// needed (derivatives) and kept. After a mistake it goes on as if the offending element were not
// there; what is inside an element that has no place here is checked by its own type where the tag
// names one, else not at all.
//
// How it fails: a text that is no grammar is a bug and asserts with its line; documents never fail,
// they are told about.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread: its machines grow while it is used.
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

// Who hears of a mistake: a sentence ("element \"b\" is not allowed here; expected: li") and its
// place.
class GrammarListener {
 public:
  GrammarListener() = default;
  GrammarListener(const GrammarListener&) = delete;
  GrammarListener& operator=(const GrammarListener&) = delete;
  virtual ~GrammarListener() = default;
  virtual void mistake(std::string sentence, xml::Position where) = 0;
};

// One document held against a grammar. One thread; grammar and listener must outlive it.
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

// True when the value is of the datatype; unknown datatypes assert when the grammar is read. The
// list of names is in datatypes.cc: text, id (NCName, unique is checked elsewhere), idref, idrefs,
// ncname, nmtoken, token (not empty), uri, language, integer, nonneg, positive, number, length,
// date, time, datetime, mime, …
using Datatype = bool (*)(std::string_view value);
[[nodiscard]] Datatype datatype_named(std::string_view name);  // null: unknown

}  // namespace tidemill::epub
