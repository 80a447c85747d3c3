// Metadata statements: faults of each statement by itself.
#include <algorithm>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/builder.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

// The relator codes of MARC.
bool is_marc_role(std::string_view role) {
  static constexpr std::string_view kRoles =
      "abr acp act adi adp aft anl anm ann ant ape apl app aqt arc ard arr art asg asn ato att "
      "auc aud aui aus aut bdd bjd bkd bkp blw bnd bpd brd brl bsl cas ccp chr clb cli cll clr "
      "clt cmm cmp cmt cnd cng cns coe col com con cor cos cot cou cov cpc cpe cph cpl cpt cre "
      "crp crr crt csl csp cst ctb cte ctg ctr cts ctt cur cwt dbp dfd dfe dft dgc dgg dgs dis "
      "dln dnc dnr dpc dpt drm drt dsr dst dtc dte dtm dto dub edc edm edt egr elg elt eng enj "
      "etr evp exp fac fds fld flm fmd fmk fmo fmp fnd fpy frg gis grt his hnr hst ill ilu ins "
      "inv isb itr ive ivr jud jug lbr lbt ldr led lee lel len let lgd lie lil lit lsa lse lso "
      "ltg lyr mcp mdc med mfp mfr mod mon mrb mrk msd mte mtk mus nrt opn org orm osp oth own "
      "pad pan pat pbd pbl pdr pfr pht plt pma pmn pop ppm ppt pra prc prd pre prf prg prm prn "
      "pro prp prs prt prv pta pte ptf pth ptt pup rbr rcd rce rcp rdd red ren res rev rpc rps "
      "rpt rpy rse rsg rsp rsr rst rth rtm sad sce scl scr sds sec sgd sgn sht sll sng spk spn "
      "spy srv std stg stl stm stn str tcd tch ths tld tlp trc trl tyd tyg uvp vac vdg voc wac "
      "wal wam wat wdc wde win wit wpr wst";
  return has_word(kRoles, role) || role.starts_with("oth.");
}

bool has(const std::vector<Property>& rels, std::string_view name) {
  return std::ranges::any_of(
      rels, [name](const Property& rel) { return rel.prefix.empty() && rel.name == name; });
}

std::optional<std::string> normalized_attribute(const xml::Element& element,
                                                std::string_view name) {
  const auto value = element.attribute(name);
  return value ? std::optional(normalized(*value)) : std::nullopt;
}

}  // namespace

void OpfFacts::add(MetadataStatement statement) {
  ++counts[{statement.metadata, statement.kind, statement.name}];
  statements.push_back(std::move(statement));
}

std::size_t OpfFacts::count(std::size_t metadata_element, MetadataStatement::Kind kind,
                            std::string_view name) const {
  if (metadata_element == kNone) return 0;
  const auto found = counts.find({metadata_element, kind, std::string(name)});
  return found == counts.end() ? 0 : found->second;
}

void OpfBuilder::begin_dublin(const xml::Element& element) {
  // OEBPS 1.2 writes dc:Title.
  std::string name = book_.package.is_oeb12 ? lowered(element.name) : std::string(element.name);
  facts_.add({.kind = MetadataStatement::Kind::dublin,
              .name = std::move(name),
              .id = normalized(element.attribute("id").value_or("")),
              .refines = normalized_attribute(element, "refines"),
              .metadata = open_metadata_,
              .collection = outermost_collection(),
              .at = element.where});
  open_id_ = element.attribute("id").value_or("");
  Package& package = book_.package;
  const bool is_unique = !open_id_.empty() && open_id_ == package.unique_identifier;
  if (facts_.statements.back().name == "identifier" && is_unique) package.has_identifier = true;
  open_scheme_ = element.attribute("scheme", kOpfNamespace).value_or("");
  const std::string_view role = element.attribute("role", kOpfNamespace).value_or("");
  if (element.name == "creator" && !role.empty() && !is_marc_role(role)) {
    report("OPF-052", element.where, std::string(role));
  }
}

void OpfBuilder::begin_meta(const xml::Element& element) {
  facts_.add({.kind = MetadataStatement::Kind::meta,
              .name = normalized(element.attribute("property").value_or("")),
              .id = normalized(element.attribute("id").value_or("")),
              .refines = normalized_attribute(element, "refines"),
              .metadata = open_metadata_,
              .collection = outermost_collection(),
              .at = element.where});
  if (!is_epub3()) return;
  for (const std::string_view name : {"property", "scheme"}) {
    const auto value = element.attribute(name);
    if (!value) continue;
    if (words_of(*value).size() > 1) {
      report("OPF-025", element.where, std::string(*value));
    } else {
      (void)read_properties(*value, PropertyPlace::meta, book_.package.prefixes,
                            listener(element.where));
    }
  }
}

void OpfBuilder::end_statement(std::string_view text) {
  MetadataStatement& statement = facts_.statements.back();
  statement.value = normalized(text);
  if (statement.kind == MetadataStatement::Kind::dublin) {
    end_dublin(statement, text);
  } else {
    end_meta(statement);
  }
}

void OpfBuilder::end_identifier(const MetadataStatement& statement, std::string_view text) {
  Package& package = book_.package;
  if (open_id_.empty() || trimmed(open_id_) != package.unique_identifier) return;
  package.identifier = trimmed(text);
  std::string_view uuid = package.identifier;
  if (!uuid.starts_with("urn:uuid:") && !same_in_any_case(open_scheme_, "uuid")) return;
  if (uuid.starts_with("urn:uuid:")) uuid.remove_prefix(9);
  if (!is_uuid(uuid)) report("OPF-085", statement.at, package.identifier);
}

void OpfBuilder::end_date(const MetadataStatement& statement, std::string_view text) const {
  if (is_publication_date(text)) return;
  if (is_epub3()) {
    report("OPF-053", statement.at, statement.value);
  } else {
    report("OPF-054", statement.at, statement.value);
  }
}

void OpfBuilder::end_dublin(const MetadataStatement& statement, std::string_view text) {
  const bool is_package_level = statement.collection == kNone;
  const std::string_view name = statement.name;
  const bool is_empty = statement.value.empty();
  if (name == "identifier") {
    end_identifier(statement, text);
  } else if (name == "date") {
    end_date(statement, text);
  } else if (name == "title" || name == "language") {
    if (is_empty && !is_epub3()) report("OPF-055", statement.at, "dc:" + statement.name);
  } else if (is_empty && !is_epub3()) {
    report("OPF-072", statement.at, "dc:" + statement.name);
  }
  if (is_empty) return;
  if (name == "title" && is_package_level && book_.package.title.empty()) {
    book_.package.title = trimmed(text);
  }
  if (name == "language") {
    if (is_epub3()) language(trimmed(text), statement.at);
    if (is_package_level) book_.package.languages.push_back(statement.value);
  }
  if (name == "type" && is_package_level) book_.package.types.push_back(statement.value);
}

void OpfBuilder::end_meta(const MetadataStatement& statement) {
  if (statement.collection != kNone || statement.metadata == kNone || !is_epub3()) return;
  Package& package = book_.package;
  const std::string& value = statement.value;
  if (statement.name == "media:active-class") package.active_class = value;
  if (statement.name == "media:playback-active-class") package.playback_active_class = value;
  if (statement.name == "rendition:spread" && value == "portrait") {
    report("OPF-086", statement.at, "rendition:spread portrait");
  }
  if (statement.name == "source-of" && value == "pagination" && statement.refines) {
    package.has_pagination_source = true;
  }
  if (statement.name == "rendition:layout" && value == "pre-paginated" && !statement.refines) {
    package.is_fixed_layout = true;
  }
}

void OpfBuilder::link_media_type(const MetadataLink& link, const xml::Element& element,
                                 const std::vector<Property>& rels, bool is_in_metadata) const {
  const auto type = element.attribute("media-type");
  if (type) {
    if (has(rels, "voicing") && !is_audio_type(*type)) {
      report("OPF-095", link.at, std::string(*type));
    }
    return;
  }
  if (!link.target.is_outside() && is_in_metadata) {
    // For years, links in collections were written without a type.
    if (open_collections_.empty()) report("OPF-093", link.at, link.href);
  } else if (has(rels, "record") || has(rels, "voicing")) {
    report("OPF-094", link.at, link.rel);
  }
}

void OpfBuilder::link(const xml::Element& element, bool is_in_metadata) {
  if (!is_epub3()) return;
  facts_.add({.kind = MetadataStatement::Kind::link,
              .name = normalized(element.attribute("rel").value_or("")),
              .id = normalized(element.attribute("id").value_or("")),
              .refines = normalized_attribute(element, "refines"),
              .metadata = open_metadata_,
              .collection = outermost_collection(),
              .at = element.where});
  if (const auto spoken = element.attribute("hreflang")) {
    language_attribute("hreflang", *spoken, element.where);
  }
  const auto href = element.attribute("href");
  if (!href) return;
  MetadataLink link{.href = std::string(*href),
                    .rel = std::string(element.attribute("rel").value_or("")),
                    .media_type = std::string(element.attribute("media-type").value_or("")),
                    .properties = std::string(element.attribute("properties").value_or("")),
                    .target = target_of(*href, element.where),
                    .at = element.where};
  if (link.target.kind == LinkTarget::Kind::malformed) return;
  if (link.target.kind == LinkTarget::Kind::data) return report("RSC-029", link.at);
  if (!link.target.fragment.empty() && link.target.kind == LinkTarget::Kind::inside &&
      link.target.path == book_.package.path) {
    return report("OPF-098", link.at, link.href);
  }
  refer(Use::package_link, link.href, link.target, link.at);
  const std::vector<Property> rels =
      read_properties(link.rel, PropertyPlace::link_rel, book_.package.prefixes, listener(link.at));
  if (has(rels, "alternate") && rels.size() > 1) report("OPF-089", link.at, link.rel);
  link_media_type(link, element, rels, is_in_metadata);
  (void)read_properties(link.properties, PropertyPlace::link, book_.package.prefixes,
                        listener(link.at));
  keep_link(std::move(link), is_in_metadata);
}

void OpfBuilder::keep_link(MetadataLink link, bool is_in_metadata) {
  if (is_in_metadata && open_collections_.empty()) {
    book_.package.links.push_back(std::move(link));
  } else if (!is_in_metadata && !building_.empty()) {
    ++facts_.collections[open_collections_.back()].links;
    building_.back().links.push_back(std::move(link));
  }
}

}  // namespace tidemill::epub
