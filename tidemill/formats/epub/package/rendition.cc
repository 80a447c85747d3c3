// How to show the book (rendition:*) and play its overlays (media:*): the values in the package
// document and their consistency.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

struct Choice {
  std::string_view property{};
  std::string_view values{};  // separated by spaces
};

constexpr auto kChoices = std::to_array<Choice>({
    {.property = "rendition:flow", .values = "paginated scrolled-continuous scrolled-doc auto"},
    {.property = "rendition:layout", .values = "reflowable pre-paginated"},
    {.property = "rendition:orientation", .values = "landscape portrait auto"},
    {.property = "rendition:spread", .values = "none landscape portrait both auto"},
});

// An itemref has at most one property of each string.
constexpr auto kEitherOr = std::to_array<std::string_view>({
    "rendition:flow-paginated rendition:flow-scrolled-continuous rendition:flow-scrolled-doc "
    "rendition:flow-auto",
    "rendition:layout-reflowable rendition:layout-pre-paginated",
    "rendition:orientation-landscape rendition:orientation-portrait rendition:orientation-auto",
    "page-spread-right page-spread-left rendition:page-spread-center",
    "rendition:spread-portrait rendition:spread-landscape rendition:spread-both "
    "rendition:spread-none rendition:spread-auto",
});

// "width=600, height=800", in either order.
bool is_viewport(std::string_view text) {
  const auto side = [&text](std::string_view name) {
    if (!text.starts_with(name)) return false;
    text.remove_prefix(name.size());
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits > 0;
  };
  const bool is_width_first = text.starts_with('w');
  if (!side(is_width_first ? "width=" : "height=") || !text.starts_with(',')) return false;
  text = trimmed(text.substr(1));
  return side(is_width_first ? "height=" : "width=") && text.empty();
}

void check_choice(const OpfCheck& check, const MetadataStatement& statement, const Choice& choice) {
  if (statement.refines) {
    check.report("RSC-005", statement.at, statement.name + " must not refine anything");
  }
  if (statement.value.contains(' ') || !has_word(choice.values, statement.value)) {
    check.report("RSC-005", statement.at,
                 statement.name + " is \"" + statement.value +
                     "\", not one of: " + std::string(choice.values));
  }
}

void check_itemrefs(const OpfCheck& check) {
  for (const SpineRef& ref : check.package().spine) {
    for (const std::string_view group : kEitherOr) {
      const auto count = std::ranges::count_if(
          ref.properties, [group](const std::string& one) { return has_word(group, one); });
      if (count > 1) {
        check.report("RSC-005", ref.at, "only one is allowed of: " + std::string(group));
      }
    }
  }
}

bool is_class_property(std::string_view name) {
  return name == "media:active-class" || name == "media:playback-active-class";
}

// The total duration is the sum of the durations of the overlays.
void check_sum(const OpfCheck& check) {
  constexpr double kTolerance = 1000;  // milliseconds
  std::optional<double> whole;
  double parts = 0;
  xml::Position at{};
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.name != "media:duration" || statement.kind != MetadataStatement::Kind::meta)
      continue;
    if (statement.metadata != check.facts->metadata) continue;
    const bool is_part = statement.refines && *statement.refines != "#";
    if (!is_part && whole) continue;
    const std::optional<double> length = clock_milliseconds(statement.value);
    if (!length) return;  // already reported
    if (is_part) {
      parts += *length;
    } else {
      whole = length;
      at = statement.at;
    }
  }
  if (whole && std::abs(*whole - parts) > kTolerance) check.report("MED-016", at);
}

void check_overlay_item(const OpfCheck& check, const Item& item,
                        const std::unordered_set<std::string_view>& timed) {
  const Item* overlay = check.package().item_with_id(item.media_overlay);
  if (overlay == nullptr || overlay->media_type != kOverlayType) {
    check.report("RSC-005", item.at, item.media_overlay + " is not a media overlay");
  }
  if (item.media_type != kXhtmlType && item.media_type != kSvgType) {
    check.report("RSC-005", item.at, "only XHTML and SVG may have a media overlay");
  }
  if (!timed.contains(overlay == nullptr ? std::string_view() : overlay->id)) {
    check.report("RSC-005", item.at, "no media:duration refines #" + item.media_overlay);
  }
}

}  // namespace

void check_rendition(const OpfCheck& check) {
  std::map<std::string_view, int> counts;
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind != MetadataStatement::Kind::meta || statement.collection != kNone) continue;
    const bool is_viewport_size = statement.name == "rendition:viewport";
    const auto* const choice = std::ranges::find(kChoices, statement.name, &Choice::property);
    if (choice != kChoices.end()) check_choice(check, statement, *choice);
    if (is_viewport_size && !is_viewport(statement.value)) {
      check.report("RSC-005", statement.at,
                   "rendition:viewport must have the form width=600,height=800");
    }
    const bool is_counted = choice != kChoices.end() || (is_viewport_size && !statement.refines) ||
                            is_class_property(statement.name);
    if (is_counted && statement.metadata == check.facts->metadata &&
        ++counts[statement.name] == 2) {
      check.report("RSC-005", check.facts->metadata_at, statement.name + " occurs twice");
    }
  }
  check_itemrefs(check);
}

void check_overlay_metadata(const OpfCheck& check) {
  std::unordered_set<std::string_view> timed;  // ids
  bool has_whole = false;
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind != MetadataStatement::Kind::meta) continue;
    if (is_class_property(statement.name)) {
      if (statement.refines) {
        check.report("RSC-005", statement.at, statement.name + " must not refine anything");
      }
      if (statement.value.contains(' ')) {
        check.report("RSC-005", statement.at, statement.name + " must be one class name");
      }
    }
    if (statement.name != "media:duration") continue;
    if (!clock_milliseconds(statement.value)) {
      check.report("RSC-005", statement.at, "not a clock value: " + statement.value);
    }
    if (!statement.refines) {
      has_whole = true;
    } else if (statement.refines->starts_with('#')) {
      timed.insert(std::string_view(*statement.refines).substr(1));
    }
  }
  bool has_overlay = false;
  for (const Item& item : check.package().items) {
    if (item.media_overlay.empty()) continue;
    has_overlay = true;
    check_overlay_item(check, item, timed);
  }
  if (has_overlay && !has_whole) {
    check.report("RSC-005", check.facts->manifest_at,
                 "there is no media:duration for the whole book");
  }
  check_sum(check);
}

}  // namespace tidemill::epub
