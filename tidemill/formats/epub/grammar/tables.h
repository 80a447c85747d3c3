// The compiled form of a grammar: names are numbers, attributes are tables, contents are patterns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/grammar/grammar.h"
#include "tidemill/formats/epub/grammar/pattern.h"
#include "tidemill/formats/epub/grammar/text.h"

namespace tidemill::epub {

// Hash table from names to consecutive numbers, starting with 0. One thread.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t add(const FullName& name);  // the existing number if the name is known
  [[nodiscard]] std::uint32_t find(const FullName& name) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] const FullName& name(std::uint32_t number) const { return names_[number]; }

 private:
  [[nodiscard]] std::size_t slot_of(const FullName& name) const;
  void grow();

  std::vector<FullName> names_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kNone);
};

// Bit sets with one bit for each state.
struct States {
  std::uint64_t allowed = 0;
  std::uint64_t required = 0;
};

// The attributes and the content of an element type, possibly under a condition on one attribute.
struct ElementShape {
  FullName when{};
  std::vector<std::string_view> when_values{};
  std::vector<const AttributeText*> attributes{};  // point into Tables::text
  std::vector<std::uint16_t> rule_of{};            // by attribute number; kNoRule: not allowed
  std::vector<FullName> begins_with{};
  std::vector<std::string_view> whole_namespaces{};
  States native{};                                             // without a role
  std::vector<std::pair<std::string_view, States>> of_role{};  // override Tables::states
  bool allows_foreign = false;
  bool allows_all = false;
  std::uint32_t required = 0;
  Pattern content = kEmpty;
  Datatype whole_text = nullptr;

  static constexpr std::uint16_t kNoRule = 0xffff;
};

struct Grammar::Tables {
  explicit Tables(GrammarText read);

  [[nodiscard]] bool declares(std::string_view ns) const;
  [[nodiscard]] Symbol symbol_of(std::string_view ns, std::string_view name) const;
  // The rule for the attribute; null: any value is allowed; nullopt: the attribute is not allowed.
  [[nodiscard]] std::optional<const AttributeText*> rule_for(const ElementShape& shape,
                                                             const xml::Attribute& found) const;
  // The states for the role on an element of this shape; null: the element has no role.
  [[nodiscard]] States states_of(const ElementShape& shape, const xml::Attribute* role) const;
  [[nodiscard]] const ElementShape& shape_of(TypeId type, const xml::Element& element) const;

  GrammarText text;
  NameTable tags;
  NameTable attributes;
  std::uint32_t role = NameTable::kNone;         // number of the attribute role
  std::vector<const AttributeText*> state_of;    // by attribute number; null: not a state
  std::map<std::string_view, States> states;     // by role
  std::vector<std::vector<ElementShape>> types;  // the first shape has no condition
  std::vector<TypeId> type_of_tag;               // the first type declared for the tag
  mutable Patterns patterns;
  Pattern start = kNotAllowed;
};

// Resolves the names in Tables::text and fills the tables.
void fill_tables(Grammar::Tables& tables);

[[nodiscard]] bool fits(const std::vector<ValueChoice>& values, std::string_view value);

}  // namespace tidemill::epub
