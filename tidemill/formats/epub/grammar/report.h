// GrammarReport: reports the mistakes found by a grammar as findings of RSC-005.
#pragma once

#include <string>
#include <utility>

#include "tidemill/formats/epub/grammar/grammar.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class GrammarReport final : public GrammarListener {
 public:
  explicit GrammarReport(const Document& document) : document_(document) {}
  void mistake(std::string sentence, xml::Position where) override {
    document_.report("RSC-005", where, std::move(sentence));
  }

 private:
  const Document& document_;
};

}  // namespace tidemill::epub
