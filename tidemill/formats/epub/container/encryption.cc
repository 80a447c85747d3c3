#include "tidemill/formats/epub/container/encryption.h"

#include "tidemill/formats/epub/container/meta_inf.h"

namespace tidemill::epub {
namespace {

constexpr std::string_view kObfuscation = "http://www.idpf.org/2008/embedding";
constexpr std::string_view kAdobeMangling = "http://ns.adobe.com/pdf/enc#RC";
constexpr std::string_view kAdobe = "http://ns.adobe.com/digitaleditions/enc";
constexpr std::size_t kMostIds = 100'000;

}  // namespace

void EncryptionReader::start(const xml::Element& element) {
  if (const auto id = element.attribute("Id"); id && ids_.size() < kMostIds) {
    ids_[std::string(*id)].push_back(element.where);
  }
  if (element.name == "CipherReference") reference(element);
  if (element.name == "EncryptionMethod" && !open_.empty() && !open_.back().has_compression) {
    if (const auto algorithm = element.attribute("Algorithm")) {
      open_.back().algorithm = *algorithm;
    }
  }
  open_.push_back({.name = std::string(element.name),
                   .has_compression = element.attribute("compression", kAdobe).has_value()});
}

void EncryptionReader::end(const xml::Element& /*element*/) { open_.pop_back(); }

void EncryptionReader::reference(const xml::Element& element) {
  const auto uri = element.attribute("URI");
  if (!uri) return;  // the grammar says so
  std::string path = path_in_book(document_, *uri, element.where);
  if (path.empty()) return;
  if (!document_.book->has_entry(path)) {
    document_.report("RSC-007", element.where, std::string(*uri));
    return;
  }
  std::string_view algorithm;
  if (open_.size() >= 2 && open_[open_.size() - 2].name == "EncryptedData") {
    algorithm = open_[open_.size() - 2].algorithm;
  }
  if (algorithm == kObfuscation) {
    container_.obfuscated.insert(std::move(path));
  } else if (algorithm != kAdobeMangling) {
    const auto [place, is_new] = container_.encrypted.insert(std::move(path));
    if (is_new) document_.book->findings.add("RSC-004", *place, {});
  }
}

void EncryptionReader::finish() {
  for (const auto& [id, places] : ids_) {
    if (places.size() < 2) continue;
    for (const xml::Position at : places) {
      document_.report("RSC-005", at, "the Id \"" + id + "\" comes more than once");
    }
  }
}

}  // namespace tidemill::epub
