// Package documents of any bytes, as EPUB 2 and EPUB 3, with and without a profile: nothing
// crashes, and the same bytes are judged the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tidemill/book/checker.h"

namespace {

using namespace tidemill::book;

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto profile = static_cast<Profile>(data[0] % 5);
  const Edition edition = data[0] >= 128 ? Edition::epub2 : Edition::epub3;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Inspection one = check_document(bytes, "a/b.opf", DocumentKind::package, edition, profile);
  const Inspection other =
      check_document(bytes, "a/b.opf", DocumentKind::package, edition, profile);
  if (one.findings.kept() != other.findings.kept()) std::abort();
  return 0;
}
