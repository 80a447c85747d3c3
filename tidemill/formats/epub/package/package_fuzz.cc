// Any bytes as a package document, as EPUB 2 and EPUB 3, with and without a profile: no crash, and
// the same bytes give the same findings.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/package/package_check.h"

namespace {

using namespace tidemill::epub;

Findings findings_in(std::string_view bytes, Edition edition, Profile profile) {
  Inspection book{.profile = profile};
  book.package.edition = edition;
  Document document{.book = &book, .path = "a/b.opf"};
  check_markup(document, Markup::package,
               [bytes](const ContentSink& sink) -> tidemill::Result<void> {
                 sink(bytes);
                 return {};
               });
  check_dictionaries(book);
  return std::move(book.findings);
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto profile = static_cast<Profile>(data[0] % 5);
  const Edition edition = data[0] >= 128 ? Edition::epub2 : Edition::epub3;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Findings first = findings_in(bytes, edition, profile);
  const Findings second = findings_in(bytes, edition, profile);
  if (first.kept() != second.kept()) std::abort();
  return 0;
}
