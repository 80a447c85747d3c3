// Images that are declared as another kind of image than they are: the first bytes of JPEG, PNG and
// GIF are certain, so the manifest is what is wrong.
#include <map>
#include <string>

#include "tidemill/book/fixers_list.h"
#include "tidemill/book/fixers_package.h"
#include "tidemill/book/fixers_text.h"
#include "tidemill/book/resource_image.h"

namespace tidemill::book {
namespace {

std::string_view type_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::jpeg:
      return "image/jpeg";
    case ImageFormat::png:
      return "image/png";
    case ImageFormat::gif:
      return "image/gif";
    default:
      return {};
  }
}

std::string_view type_of_bytes(const Inspection& found, const std::string& entry) {
  const zip::Entry* source = found.archive->find(entry);
  if (source == nullptr) return {};
  const auto head = found.archive->read_head(*source, 64);
  return head ? type_of(format_of_bytes(*head)) : std::string_view();
}

}  // namespace

void mend_media_types(const Inspection& found, Draft& draft, Plan& plan) {
  std::map<std::string, std::string_view> types;  // by id
  for (const std::string& entry : entries_with(found, "OPF-029")) {
    const Item* item = found.package.item_at(entry);
    const std::string_view type = type_of_bytes(found, entry);
    if (item == nullptr || type.empty()) {
      plan.declined.push_back(
          {.rule = "OPF-029", .entry = entry, .why = "its bytes are of no kind that is known"});
    } else {
      types.emplace(item->id, type);
    }
  }
  if (types.empty()) return;
  edit_entry(draft, plan,
             {.tier = Mend::safe,
              .name = "media-types",
              .mends = {"OPF-029"},
              .entry = found.package.path,
              .what = "images are declared as what their first bytes say"},
             [&](std::string_view document, XmlEdit& edit) {
               const PackagePieces pieces(document);
               for (const Scanned& piece : pieces.all()) {
                 const auto* type = piece.attribute(document, "media-type");
                 if (type == nullptr || !pieces.is_element(piece, "item")) continue;
                 const auto wanted = types.find(pieces.value(piece, "id"));
                 if (wanted != types.end()) edit.replace(type->value, std::string(wanted->second));
               }
             });
}

}  // namespace tidemill::book
