// The parts of the package document in their order: metadata, manifest, spine, and what follows.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

constexpr auto kOrder = std::to_array<std::string_view>(
    {"metadata", "manifest", "spine", "tours", "guide", "bindings", "collection"});

struct Part {
  std::ptrdiff_t rank = 0;
  Span span{};
};

// Nothing when one of them is not known.
std::vector<Part> parts_of(const PackagePieces& pieces) {
  std::vector<Part> parts;
  std::size_t depth = 0;
  for (const Scanned& piece : pieces.all()) {
    const bool is_start = piece.kind == Scanned::Kind::start;
    if (piece.kind == Scanned::Kind::end && depth > 0 && --depth == 1 && !parts.empty()) {
      parts.back().span.end = piece.whole.end;
    }
    if (depth == 1 && (is_start || piece.kind == Scanned::Kind::empty)) {
      const auto* const known =
          std::ranges::find(kOrder, local_name(piece.name.in(pieces.document())));
      if (known == kOrder.end()) return {};
      parts.push_back({.rank = known - kOrder.begin(), .span = piece.whole});
    }
    if (is_start) ++depth;
  }
  return parts;
}

}  // namespace

void mend_order(const Inspection& found, Draft& draft, Plan& plan) {
  const auto entries = entries_with(found, "RSC-005", "is not allowed here");
  if (std::ranges::find(entries, found.package.path) == entries.end()) return;
  edit_package(found, draft, plan,
               {.name = "order",
                .mends = {"RSC-005"},
                .what = "metadata, manifest, spine and guide are put in the required order"},
               [](const PackagePieces& pieces, XmlEdit& edit) {
                 const std::vector<Part> parts = parts_of(pieces);
                 std::vector<Part> sorted = parts;
                 std::ranges::sort(sorted, {}, [](const Part& part) {
                   return std::pair(part.rank, part.span.begin);
                 });
                 for (std::size_t at = 0; at < parts.size(); ++at) {
                   if (parts[at].span.begin == sorted[at].span.begin) continue;
                   edit.replace(parts[at].span, std::string(sorted[at].span.in(pieces.document())));
                 }
               });
}

}  // namespace tidemill::epub
