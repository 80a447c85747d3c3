// Any bytes as an XHTML document of EPUB 3: reader, grammar and rules must terminate without memory
// errors, and find the same when the bytes come in pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tidemill/formats/epub/content/xhtml/rules.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/grammar/report.h"
#include "tidemill/formats/xml/handler_fanout.h"

namespace {

using tidemill::epub::Document;
using tidemill::epub::Grammar;
using tidemill::epub::GrammarCheck;
using tidemill::epub::GrammarReport;
using tidemill::epub::Inspection;
using tidemill::epub::Profile;
using tidemill::epub::XhtmlRules;

// The number of errors.
std::uint64_t check(std::string_view bytes, Profile profile, std::size_t piece) {
  Inspection book{.profile = profile};
  Document document{.book = &book,
                    .path = "a.xhtml",
                    .is_nav = profile == Profile::none,
                    .is_fixed = profile == Profile::index};
  GrammarReport report(document);
  const Grammar& grammar =
      document.is_nav ? tidemill::epub::nav_grammar() : tidemill::epub::xhtml5_grammar();
  GrammarCheck content(grammar, report);
  XhtmlRules rules(document);
  tidemill::xml::HandlerFanout fanout;
  fanout.join(content);
  fanout.join(rules);
  tidemill::xml::XmlReader reader(fanout);
  while (!bytes.empty() && reader.feed(bytes.substr(0, piece))) {
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (!reader.finish().mistake) rules.finish();
  return book.findings.count(tidemill::epub::Severity::error);
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  constexpr Profile kProfiles[] = {Profile::none, Profile::index, Profile::dictionary,
                                   Profile::education};
  const Profile profile = kProfiles[bytes[0] % 4];
  const std::string_view document(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::uint64_t whole = check(document, profile, document.size());
  const std::uint64_t pieces = check(document, profile, 7);
  // Text arrives in different parts, but the findings must not depend on that.
  if (whole != pieces) std::abort();
  return 0;
}
