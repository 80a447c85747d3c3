#include "tidemill/formats/epub/content/document_check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/content/nav_data.h"
#include "tidemill/formats/epub/content/nav_rules.h"
#include "tidemill/formats/epub/content/ncx_reader.h"
#include "tidemill/formats/epub/content/overlay_reader.h"
#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/content/search_key_reader.h"
#include "tidemill/formats/epub/content/svg_rules.h"
#include "tidemill/formats/epub/content/xhtml/rules.h"
#include "tidemill/formats/epub/content/xhtml/xhtml11_rules.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/grammar/report.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/package_reader.h"
#include "tidemill/formats/epub/references/link_reader.h"
#include "tidemill/formats/xml/handler_fanout.h"

namespace tidemill::epub {
namespace {

// All handlers of one document. finish() runs their final checks, if the document is well-formed.
class Panel {
 public:
  explicit Panel(Document& document) : document_(document), mistakes_(document) {}

  void grammar(const Grammar& grammar) { join(std::make_unique<GrammarCheck>(grammar, mistakes_)); }
  template <class Rules>
  void rules() {
    auto one = std::make_unique<Rules>(document_);
    ends_.emplace_back([rules = one.get()] { rules->finish(); });
    if constexpr (requires { one->give_up(); }) {
      gives_up_ = [rules = one.get()] { rules->give_up(); };
    }
    join(std::move(one));
  }

  xml::HandlerFanout& fanout() { return fanout_; }
  void finish() {
    for (const auto& end : ends_) end();
  }
  // The document could not be read to its end.
  void give_up() {
    if (gives_up_) gives_up_();
  }

 private:
  void join(std::unique_ptr<xml::Handler> one) {
    fanout_.join(*one);
    members_.push_back(std::move(one));
  }

  Document& document_;
  GrammarReport mistakes_;
  xml::HandlerFanout fanout_;
  std::vector<std::unique_ptr<xml::Handler>> members_;
  std::vector<std::function<void()>> ends_;
  std::function<void()> gives_up_;
};

// All bytes were read, but the checksum differs.
bool is_altered(const Failure& failure) { return failure.kind == FailureKind::corrupt; }

// One thread.
class DtdCheck final : public xml::Handler {
 public:
  explicit DtdCheck(bool wants_dtd) : wants_dtd_(wants_dtd) {}

  bool has_dtd(const xml::Doctype& doctype) override {
    return !wants_dtd_ || is_known_dtd(doctype);
  }

 private:
  bool wants_dtd_;
};

// For a package document in a book the edition is not known before it is read.
bool wants_dtd(const Document& document, Markup markup) {
  const bool is_in_book = document.book->archive != nullptr;
  return document.edition() == Edition::epub2 || (markup == Markup::package && is_in_book);
}

void add_xhtml_handlers(const Document& document, Panel& panel) {
  const bool is_epub3 = document.edition() == Edition::epub3;
  if (!is_epub3) {
    panel.grammar(xhtml11_grammar());
    panel.rules<Xhtml11Rules>();
  } else {
    panel.grammar(document.is_nav ? nav_grammar() : xhtml5_grammar());
  }
  panel.rules<XhtmlRules>();
  panel.rules<LinkReader>();
  if (!is_epub3) return;
  panel.rules<DataNavRules>();
  if (document.is_nav) panel.rules<NavRules>();
}

void add_handlers(const Document& document, Markup markup, Panel& panel) {
  switch (markup) {
    case Markup::package:
      return panel.rules<PackageReader>();
    case Markup::xhtml:
      return add_xhtml_handlers(document, panel);
    case Markup::svg:
      panel.grammar(document.edition() == Edition::epub2 ? svg11_grammar() : svg_grammar());
      panel.rules<SvgRules>();
      return panel.rules<LinkReader>();
    case Markup::dtbook:
      panel.grammar(dtbook_grammar());
      return panel.rules<LinkReader>();
    case Markup::ncx:
      panel.grammar(ncx_grammar());
      return panel.rules<NcxReader>();
    case Markup::overlay:
      panel.grammar(overlay_grammar());
      return panel.rules<OverlayReader>();
    case Markup::search_keys:
      panel.grammar(search_key_grammar());
      return panel.rules<SearchKeyReader>();
  }
}

std::string_view media_type_of(Markup markup) {
  switch (markup) {
    case Markup::package:
      return kPackageType;
    case Markup::xhtml:
      return kXhtmlType;
    case Markup::svg:
      return kSvgType;
    case Markup::dtbook:
      return kDtbookType;
    case Markup::ncx:
      return kNcxType;
    case Markup::overlay:
      return kOverlayType;
    case Markup::search_keys:
      return kSearchKeyType;
  }
  return {};
}

// False: one of our limits was reached; the rest of the document may be valid.
bool is_of_the_document(const xml::Mistake& mistake) {
  using Kind = xml::Mistake::Kind;
  return mistake.kind != Kind::too_deep && mistake.kind != Kind::too_large &&
         mistake.kind != Kind::entity_bomb;
}

}  // namespace

void check_markup(Document& document, Markup markup, const ContentReader& bytes) {
  Panel panel(document);
  document.book->held = {};
  add_handlers(document, markup, panel);
  DtdCheck dtd(wants_dtd(document, markup));
  panel.fanout().join(dtd);
  xml::XmlReader reader(panel.fanout());
  if (const auto read = bytes([&](std::string_view part) { return reader.feed(part); }); !read) {
    report_unread(document, read.error());
    if (!is_altered(read.error())) return panel.give_up();
  }
  const xml::ParseOutcome outcome = reader.finish();
  check_prolog(document, outcome, media_type_of(markup));
  if (!outcome.mistake) {
    panel.finish();
    document.book->tell_held();
    document.book->references.mark_read(document.path);
    return;
  }
  panel.give_up();
  if (!is_of_the_document(*outcome.mistake)) document.book->references.mark_cut(document.path);
}

void report_unread(const Document& document, const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::over_limit:
      return document.report("TIDE-001", {}, failure.reason);
    case FailureKind::bomb:
      return document.report("TIDE-002", {}, failure.reason);
    case FailureKind::encrypted:
      return document.report("TIDE-011", {}, failure.reason);
    case FailureKind::corrupt:
      return document.report("TIDE-012", {}, failure.reason);
    default:
      return document.report("PKG-008", {}, failure.reason);
  }
}

}  // namespace tidemill::epub
