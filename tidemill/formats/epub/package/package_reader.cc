#include "tidemill/formats/epub/package/package_reader.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/grammar/report.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/builder.h"
#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/media_types.h"

namespace tidemill::epub {

namespace {

enum class Part : std::uint8_t { other, metadata, collection, statement };

bool is_package_namespace(std::string_view ns) {
  return ns == kOpfNamespace || ns == kOebNamespace || ns.empty();
}

// In OEBPS 1.2 the metadata is in one of these.
bool is_wrapper(std::string_view name) { return name == "dc-metadata" || name == "x-metadata"; }

}  // namespace

struct PackageReader::State {
  explicit State(const Document& document)
      : document(document), book(*document.book), builder(book, facts), mistakes(document) {}

  Part begin_package_part(const xml::Element& element);
  Part begin(const xml::Element& element);

  const Document& document;
  Inspection& book;
  OpfFacts facts{};
  OpfBuilder builder;
  GrammarReport mistakes;
  std::unique_ptr<GrammarCheck> grammar{};
  std::vector<Part> open{};
  std::function<void()> check_doctype{};  // when the edition is known
  bool has_begun = false;
  std::size_t statement_depth = 0;  // of the open statement; 0: none is open
  std::string text{};               // of the open statement
};

PackageReader::PackageReader(const Document& document) : state_(std::make_unique<State>(document)) {
  document.book->package.path = document.path;
}

PackageReader::~PackageReader() = default;

Part PackageReader::State::begin_package_part(const xml::Element& element) {
  const std::string_view name = element.name;
  const bool is_epub3 = book.edition() == Edition::epub3;
  const bool is_in_metadata = !open.empty() && open.back() == Part::metadata;
  if (name == "item") {
    builder.item(element);
  } else if (name == "manifest") {
    facts.has_manifest = true;
    facts.manifest_at = element.where;
  } else if (name == "spine") {
    builder.spine(element);
  } else if (name == "itemref") {
    builder.itemref(element);
  } else if (name == "reference") {
    builder.guide_reference(element);
  } else if (name == "link") {
    builder.link(element, is_in_metadata);
  } else if (name == "bindings" && is_epub3) {
    builder.report("RSC-017", element.where, "bindings is deprecated");
  } else if (name == "metadata") {
    builder.begin_metadata(element);
    return Part::metadata;
  } else if (is_wrapper(name)) {
    if (!book.package.is_oeb12) builder.report("OPF-049", element.where, std::string(name));
    return is_in_metadata ? Part::metadata : Part::other;
  } else if (name == "collection" && is_epub3) {
    builder.begin_collection(element);
    return Part::collection;
  } else if (name == "meta") {
    builder.begin_meta(element);
    return Part::statement;
  }
  return Part::other;
}

Part PackageReader::State::begin(const xml::Element& element) {
  if (is_package_namespace(element.ns)) return begin_package_part(element);
  if (element.ns != kDublinNamespace) return Part::other;
  builder.begin_dublin(element);
  return Part::statement;
}

void PackageReader::doctype(const xml::Doctype& doctype, xml::Position where) {
  state_->check_doctype = [&document = state_->document, root = std::string(doctype.root),
                           public_id = std::string(doctype.public_id),
                           system_id = std::string(doctype.system_id), where] {
    check_doctype(document, {.root = root, .public_id = public_id, .system_id = system_id},
                  kPackageType, where);
  };
}

void PackageReader::start(const xml::Element& element) {
  State& state = *state_;
  if (!state.has_begun) {
    state.has_begun = true;
    state.builder.package(element);
    if (state.check_doctype) state.check_doctype();
    const bool is_epub2 = state.book.edition() == Edition::epub2;
    // OEBPS 1.2 has a grammar of its own, which is not implemented.
    if (state.builder.is_known_version() && element.ns != kOebNamespace) {
      state.grammar = std::make_unique<GrammarCheck>(
          is_epub2 ? package2_grammar() : package3_grammar(), state.mistakes);
    }
  }
  if (state.grammar) state.grammar->start(element);
  state.builder.common(element);
  // A statement must not contain elements: the grammar reports them, and they are skipped here.
  state.open.push_back(state.statement_depth != 0 ? Part::other : state.begin(element));
  if (state.open.back() == Part::statement) {
    state.statement_depth = state.open.size();
    state.text.clear();
  }
}

void PackageReader::end(const xml::Element& element) {
  State& state = *state_;
  if (state.grammar) state.grammar->end(element);
  if (state.open.empty()) return;
  const Part part = state.open.back();
  state.open.pop_back();
  if (part == Part::statement) {
    state.builder.end_statement(state.text);
    state.statement_depth = 0;
  }
  if (part == Part::collection) state.builder.end_collection();
  if (part == Part::metadata && element.name == "metadata") state.builder.end_metadata();
}

void PackageReader::text(std::string_view part, xml::Position where) {
  if (state_->grammar) state_->grammar->text(part, where);
  if (!state_->open.empty() && state_->open.back() == Part::statement) state_->text += part;
}

bool PackageReader::is_known_version() const { return state_->builder.is_known_version(); }

void PackageReader::give_up() {
  if (state_->book.archive == nullptr) return;
  if (!state_->has_begun) {
    state_->builder.report("OPF-001", {}, "there is no package element");
  } else if (is_known_version()) {
    state_->builder.check_identifier();
  }
}

void PackageReader::finish() {
  if (!is_known_version()) return;
  state_->builder.finish();
  const OpfCheck check{.book = &state_->book, .facts = &state_->facts};
  check_ids(check);
  check_fallbacks(check);
  check_items(check);
  check_spine(check);
  check_guide_twins(check);
  if (state_->book.edition() == Edition::epub2) return;
  check_metadata(check);
  check_refinements(check);
  check_rendition(check);
  check_overlay_metadata(check);
  check_collection_shapes(check);
  check_profiles(check);
}

}  // namespace tidemill::epub
