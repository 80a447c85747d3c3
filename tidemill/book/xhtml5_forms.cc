// Forms and their controls.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.w3.org/1999/xhtml"

element form {@common action:nonempty-uri method:(get|post|dialog) name:nonempty accept-charset
  enctype:(application/x-www-form-urlencoded|multipart/form-data|text/plain)
  novalidate:(novalidate|) target:frame-target autocomplete:(on|off)
  role:(form|search|presentation|none)} (text | flow)*

attributes control = @common name:nonempty disabled:(disabled|) form:word
element fieldset {@control role:(group|radiogroup|presentation|none)} (legend?, (text | flow)*)
element legend {@common} (text | phrasing | heading | hgroup)*
element label {@common for:word} (text | phrasing)*
element output {@common @any-role name:nonempty form:word for:words} (text | phrasing)*
element datalist {@common} (text | phrasing | option)*

attributes popover-control = popovertarget:word popovertargetaction:(hide|show|toggle)
attributes submits = formaction:nonempty-uri formmethod:(get|post|dialog) formtarget:frame-target
  formenctype:(application/x-www-form-urlencoded|multipart/form-data|text/plain)
  formnovalidate:(formnovalidate|)
attributes field = autocomplete list:word maxlength:nonneg minlength:nonneg pattern placeholder
  readonly:(readonly|) required:(required|)
attributes sized-field = @field size:positive

element input {@control @sized-field type:(text) value dirname:nonempty
  role:(textbox|combobox|searchbox|spinbutton)} empty
element input when type=password {@control @sized-field type value} empty
element input when type=checkbox {@control @sized-field type value checked:(checked|)
  role:(checkbox|button|menuitemcheckbox|option|switch)} empty
element input when type=radio {@control @sized-field type value checked:(checked|)
  role:(radio|menuitemradio)} empty
element input when type=button {@control @sized-field @popover-control type value
  role:(button|checkbox|combobox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|switch|tab)} empty
element input when type=submit {@control @sized-field @submits @popover-control type value
  role:(button)} empty
element input when type=reset {@control @sized-field @popover-control type value role:(button)} empty
element input when type=file {@control @sized-field type accept multiple:(multiple|)
  capture:(user|environment)} empty
element input when type=hidden {@control type value autocomplete} empty
element input when type=image {@control @sized-field @submits @popover-control @size type
  alt:nonempty! src:nonempty-uri
  role:(button|link|menuitem|menuitemcheckbox|menuitemradio|radio|switch)} empty
element input when type=datetime-local {@control @sized-field type min:html-local-datetime
  max:html-local-datetime step:positive-number|(any) value:html-local-datetime|()} empty
element input when type=date {@control @sized-field type min:html-date max:html-date
  step:positive|(any) value:html-date|()} empty
element input when type=month {@control @sized-field type min:html-month max:html-month
  step:positive|(any) value:html-month|()} empty
element input when type=time {@control @sized-field type min:html-time max:html-time
  step:positive-number|(any) value:html-time|()} empty
element input when type=week {@control @sized-field type min:html-week max:html-week
  step:positive|(any) value:html-week|()} empty
element input when type=number {@control @field type min:number max:number
  step:positive-number|(any) value:number|() role:(spinbutton)} empty
element input when type=range {@control @field type min:number max:number
  step:positive-number|(any) value:number role:(slider)} empty
element input when type=email {@control @sized-field type multiple:(multiple|) value:emails|()
  role:(textbox|combobox)} empty
element input when type=url {@control @sized-field type value role:(textbox|combobox)} empty
element input when type=search {@control @sized-field type value dirname:nonempty
  role:(searchbox)} empty
element input when type=tel {@control @sized-field type value role:(textbox|combobox)} empty
element input when type=color {@control @sized-field type value:color|()} empty

attributes area-of-text = @control readonly:(readonly|) maxlength:nonneg minlength:nonneg
  required:(required|) placeholder dirname:nonempty rows:positive autocomplete role:(textbox)
element textarea {@area-of-text wrap:(soft) cols:positive} text
element textarea when wrap=hard {@area-of-text wrap cols:positive!} text

element select {@control size:positive multiple:(multiple|) required:(required|) autocomplete
  role:(listbox|combobox|menu)} (optgroup | option | script-supporting)*
element optgroup {@common label! disabled:(disabled|) role:(group)} (option | script-supporting)*
element option {@common disabled:(disabled|) selected:(selected|) label:nonempty value
  role:(option)} text

attributes button = @control @popover-control value
  role:(button|checkbox|combobox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|switch|tab)
element button {@button @submits type:(submit)} (text | phrasing)*
element button when type=reset|button {@button type} (text | phrasing)*
)";

}  // namespace

std::string_view xhtml5_forms_text() { return kText; }

}  // namespace tidemill::book
