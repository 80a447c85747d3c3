// META-INF/encryption.xml: what of the book is obfuscated or encrypted.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread. Fonts obfuscated the way EPUB describes go to Container::obfuscated; those mangled
// the way Adobe does are let be; all else is encrypted, for DRM (RSC-004). What is not in the book
// is RSC-007.
class EncryptionReader final : public xml::Handler {
 public:
  EncryptionReader(const Document& document, Container& container)
      : document_(document), container_(container) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;

  // Ids that come twice (RSC-005).
  void finish();

 private:
  // An open element, as far as it says how its content is encrypted.
  struct Frame {
    std::string name{};
    std::string algorithm{};
    bool has_compression = false;
  };

  void reference(const xml::Element& element);

  const Document& document_;
  Container& container_;
  std::vector<Frame> open_{};
  std::unordered_map<std::string, std::vector<xml::Position>> ids_{};
};

}  // namespace tidemill::epub
