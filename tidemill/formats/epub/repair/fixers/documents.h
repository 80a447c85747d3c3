// Shared by the fixers of documents: listing documents, editing them, and recording changes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/formats/epub/repair/xml_edit.h"

namespace tidemill::epub {

// The entries that break a rule, without duplicates, in the order of the findings; only findings
// whose detail contains the word. If the rule has more findings than are kept, returns all
// documents: the fixer must check them itself.
[[nodiscard]] std::vector<std::string> entries_with(const Inspection& found, RuleId rule,
                                                    std::string_view word = {});

// The entries that can contain references: the package document and the XML documents in the
// manifest.
[[nodiscard]] std::vector<std::string> documents_of(const Inspection& found);

// Escapes text for an attribute in double or single quotes.
[[nodiscard]] std::string escaped_value(std::string_view text);
// Resolves the XML references in the value of an attribute.
[[nodiscard]] std::string resolved_value(std::string_view written);

// Calls `edit` to change the bytes of an entry and adds the result to the draft and the plan. Does
// nothing if there are no changes. False: the entry could not be read.
bool edit_entry(BookDraft& draft, RepairPlan& plan, Change change,
                const std::function<void(std::string_view document, XmlEdit& edit)>& edit);

// Sets the attribute of the tag, or adds it.
void set_attribute(std::string_view document, const Scanned& tag, std::string_view name,
                   std::string_view value, XmlEdit& edit);

// The same for a list of words; an empty list removes the attribute.
void set_words(std::string_view document, const Scanned& tag, std::string_view name,
               std::string_view words, XmlEdit& edit);

// The first tag; null: none.
[[nodiscard]] const Scanned* root_of(const std::vector<Scanned>& pieces);

// A relative URL from one entry to another.
[[nodiscard]] std::string relative_url(std::string_view from, std::string_view to);

// Attributes of XHTML, SVG, NCX, SMIL and OPF whose value is a URL.
[[nodiscard]] bool holds_url(std::string_view attribute);

// The part of a name after the prefix.
[[nodiscard]] std::string_view local_name(std::string_view name);

}  // namespace tidemill::epub
