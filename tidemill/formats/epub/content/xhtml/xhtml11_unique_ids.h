// UniqueIds: an id may stand on one element of a document only. Each element that shares its id
// with another one is told about, the first one too. White space around an id does not count.
#pragma once

#include <string>
#include <unordered_map>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class UniqueIds final {
 public:
  explicit UniqueIds(const Document& document) : document_(document) {}

  void see(const xml::Element& element);

 private:
  struct First {
    xml::Position at{};
    bool is_told = false;
  };
  const Document& document_;
  std::unordered_map<std::string, First> ids_;
};

}  // namespace tidemill::epub
