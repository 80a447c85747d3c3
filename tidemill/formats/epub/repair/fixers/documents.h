// What fixers of documents have in common: which documents there are, and how a change is told.
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

// The entries in which a rule was broken, each once, in the order of finding; only findings whose
// detail has the word in it. Of a rule with more findings than are kept, all documents: a fixer
// looks for itself.
[[nodiscard]] std::vector<std::string> entries_with(const Inspection& found, RuleId rule,
                                                    std::string_view word = {});

// The entries that can hold references: the package document, and the manifest's XML documents.
[[nodiscard]] std::vector<std::string> documents_of(const Inspection& found);

// Text as it stands in an attribute between double or single quotes.
[[nodiscard]] std::string escaped_value(std::string_view text);
// An attribute's value as written, with the references of XML resolved.
[[nodiscard]] std::string resolved_value(std::string_view written);

// Lets `edit` change the bytes of an entry and puts the outcome into the draft and the plan;
// nothing happens when it changes nothing. False: the entry could not be read.
bool edit_entry(Draft& draft, Plan& plan, Change change,
                const std::function<void(std::string_view document, XmlEdit& edit)>& edit);

// Gives the tag this value of the attribute, whether it has one or not.
void set_attribute(std::string_view document, const Scanned& tag, std::string_view name,
                   std::string_view value, XmlEdit& edit);

// The same of a list of words; without any the attribute goes.
void set_words(std::string_view document, const Scanned& tag, std::string_view name,
               std::string_view words, XmlEdit& edit);

// The first tag; null: there is none.
[[nodiscard]] const Scanned* root_of(const std::vector<Scanned>& pieces);

// A relative URL from one entry to another.
[[nodiscard]] std::string relative_url(std::string_view from, std::string_view to);

// Attributes of XHTML, SVG, NCX, SMIL and OPF whose value is a URL.
[[nodiscard]] bool holds_url(std::string_view attribute);

// The part of a name behind the prefix.
[[nodiscard]] std::string_view local_name(std::string_view name);

}  // namespace tidemill::epub
