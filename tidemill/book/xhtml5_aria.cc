// Roles, states and properties of accessibility (WAI-ARIA, DPUB-ARIA).
//
// Which states go with which role is not told here: every element may have every state with a value
// that exists. Roles are told by element; a role set here has its name after the elements.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_aria_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"

attributes aria =
  aria-activedescendant:word aria-atomic:(true|false) aria-autocomplete:(inline|list|both|none)
  aria-busy:(true|false) aria-checked:(true|false|mixed|undefined) aria-colcount:nonneg|(-1)
  aria-colindex:positive aria-colspan:positive aria-controls:words
  aria-current:(page|step|location|date|time|true|false) aria-describedby:words aria-description
  aria-details:word aria-disabled:(true|false) aria-errormessage:word
  aria-expanded:(true|false|undefined) aria-flowto:words
  aria-haspopup:(true|false|menu|listbox|tree|grid|dialog) aria-hidden:(true|false)
  aria-invalid:(true|false|grammar|spelling) aria-keyshortcuts aria-label aria-labelledby:words
  aria-level:positive aria-live:(off|polite|assertive) aria-modal:(true|false)
  aria-multiline:(true|false) aria-multiselectable:(true|false)
  aria-orientation:(vertical|horizontal|undefined) aria-owns:words aria-placeholder
  aria-posinset:positive aria-pressed:(true|false|mixed|undefined) aria-readonly:(true|false)
  aria-relevant:(all)|list(additions|removals|text) aria-required:(true|false)
  aria-roledescription aria-rowcount:nonneg|(-1) aria-rowindex:positive aria-rowspan:positive
  aria-selected:(true|false|undefined) aria-setsize:nonneg|(-1)
  aria-sort:(ascending|descending|none|other) aria-valuemax:number aria-valuemin:number
  aria-valuenow:number aria-valuetext

attributes any-role = role:(alert|alertdialog|application|article|banner|button|cell|checkbox|columnheader|combobox|complementary|contentinfo|definition|dialog|directory|document|feed|figure|form|grid|gridcell|group|graphics-document|graphics-object|graphics-symbol|heading|img|link|list|listbox|listitem|log|main|marquee|math|menu|menubar|menuitem|menuitemcheckbox|menuitemradio|navigation|none|note|option|presentation|progressbar|radio|radiogroup|region|row|rowgroup|rowheader|searchbox|scrollbar|search|separator|slider|spinbutton|status|switch|tab|table|tablist|tabpanel|term|textbox|timer|toolbar|tooltip|tree|treegrid|treeitem|doc-abstract|doc-acknowledgments|doc-afterword|doc-appendix|doc-backlink|doc-biblioentry|doc-bibliography|doc-biblioref|doc-chapter|doc-colophon|doc-conclusion|doc-cover|doc-credit|doc-credits|doc-dedication|doc-endnote|doc-endnotes|doc-epigraph|doc-epilogue|doc-errata|doc-example|doc-footnote|doc-foreword|doc-glossary|doc-glossref|doc-index|doc-introduction|doc-noteref|doc-notice|doc-pagebreak|doc-pagelist|doc-part|doc-preface|doc-prologue|doc-pullquote|doc-qna|doc-subtitle|doc-tip|doc-toc)

attributes heading-role = role:(heading|tab|presentation|none|doc-subtitle)
attributes list-role = role:(directory|group|list|listbox|menu|menubar|radiogroup|tablist|toolbar|tree|presentation|none)
attributes item-role = role:(listitem|menuitem|menuitemcheckbox|menuitemradio|option|radio|tab|treeitem|separator|presentation|none|doc-biblioentry|doc-endnote)
attributes section-role = role:(alert|alertdialog|application|dialog|feed|group|log|marquee|presentation|none|region|status|tabpanel|banner|complementary|contentinfo|document|main|navigation|note|search|doc-abstract|doc-acknowledgments|doc-afterword|doc-appendix|doc-bibliography|doc-chapter|doc-colophon|doc-conclusion|doc-credit|doc-credits|doc-dedication|doc-endnotes|doc-epigraph|doc-epilogue|doc-errata|doc-example|doc-foreword|doc-glossary|doc-index|doc-introduction|doc-notice|doc-pagelist|doc-part|doc-preface|doc-prologue|doc-pullquote|doc-qna|doc-toc)
attributes nav-role = role:(navigation|doc-index|doc-pagelist|doc-toc|menu|menubar|none|presentation|tablist)
attributes link-role = role:(button|checkbox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|switch|tab|treeitem|doc-backlink|doc-biblioref|doc-glossref|doc-noteref)
attributes image-role = role:(button|checkbox|img|link|math|menuitem|menuitemcheckbox|menuitemradio|none|option|presentation|progressbar|radio|scrollbar|separator|slider|switch|tab|treeitem|doc-cover)
attributes frame-role = role:(application|document|img|presentation|none)
)";
}

}  // namespace tidemill::book
