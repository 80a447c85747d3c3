#include "tidemill/formats/epub/references/url_faults.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace tidemill::epub {
namespace {

constexpr std::array kUrlRules = {RuleId("RSC-020"), RuleId("RSC-026"), RuleId("RSC-030"),
                                  RuleId("RSC-033")};

// Sorted. The registry from the time EPUB was designed; reading systems support no others.
constexpr std::array<std::string_view, 76> kSchemes = {"aaa",          "aaas",
                                                       "acap",         "afs",
                                                       "cap",          "cid",
                                                       "crid",         "data",
                                                       "dav",          "dict",
                                                       "dns",          "dtn",
                                                       "fax",          "file",
                                                       "ftp",          "go",
                                                       "gopher",       "h323",
                                                       "http",         "https",
                                                       "iax",          "icap",
                                                       "im",           "imap",
                                                       "info",         "ipp",
                                                       "irc",          "iris",
                                                       "iris.beep",    "iris.lwz",
                                                       "iris.xpc",     "iris.xpcs",
                                                       "javascript",   "ldap",
                                                       "mailserver",   "mailto",
                                                       "mid",          "modem",
                                                       "msrp",         "msrps",
                                                       "mtqp",         "mupdate",
                                                       "news",         "nfs",
                                                       "nntp",         "opaquelocktoken",
                                                       "pack",         "pop",
                                                       "pres",         "prospero",
                                                       "rtsp",         "service",
                                                       "shttp",        "sip",
                                                       "sips",         "snews",
                                                       "snmp",         "soap.beep",
                                                       "soap.beeps",   "tag",
                                                       "tel",          "telnet",
                                                       "tftp",         "thismessage",
                                                       "tip",          "tn3270",
                                                       "tv",           "urn",
                                                       "vemmi",        "videotex",
                                                       "wais",         "xmlrpc.beep",
                                                       "xmlrpc.beeps", "xmpp",
                                                       "z39.50r",      "z39.50s"};
static_assert(std::ranges::is_sorted(kSchemes));

bool is_read_elsewhere(Use use) {
  return use == Use::ncx || use == Use::overlay_text || use == Use::overlay_audio ||
         use == Use::search_key || use == Use::guide || use == Use::package_link;
}

}  // namespace

bool is_registered_scheme(std::string_view scheme) {
  return std::ranges::binary_search(kSchemes, scheme);
}

void UrlReport::check(const LinkTarget& target, std::string_view url, xml::Position at) {
  if (target.kind == LinkTarget::Kind::file) document_.report("RSC-030", at, std::string(url));
  if (!target.problem.empty()) {
    document_.report("RSC-020", at, std::string(url) + ": " + std::string(target.problem));
  }
  if (target.kind == LinkTarget::Kind::malformed) return;
  has_left_ |= target.kind != LinkTarget::Kind::inside;
  if (has_left_) return;
  if (target.has_query) document_.report("RSC-033", at, std::string(url));
  // A single document without an archive has no root to leave.
  if (target.leaks && document_.book->archive != nullptr) {
    document_.report("RSC-026", at, std::string(url));
  }
}

void report_left_urls(Inspection& book) {
  std::set<FindingPlace> said;
  for (const Finding& finding : book.findings.kept()) {
    if (std::ranges::find(kUrlRules, finding.rule) != kUrlRules.end()) said.insert(finding.place);
  }
  for (const Reference& reference : book.references.all()) {
    if (!is_read_elsewhere(reference.use)) continue;
    if (said.contains({.entry = reference.from, .at = reference.at})) continue;
    const Document document{.book = &book, .path = reference.from};
    UrlReport(document).check(reference.target, reference.url, reference.at);
  }
}

}  // namespace tidemill::epub
