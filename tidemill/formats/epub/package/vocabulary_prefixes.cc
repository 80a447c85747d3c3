// The prefix attribute: "name: URI name: URI".
#include <algorithm>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

bool may_be_uri(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos) return false;
    if (c == '%' && !is_percent_code(text, at)) return false;
  }
  return true;
}

// One thread. Reads one attribute from start to end.
class PrefixReader {
 public:
  PrefixReader(std::string_view text, const FaultListener& fault) : text_(text), fault_(fault) {}

  Prefixes run() {
    if (!take_space().empty()) fault_("OPF-004", "a space at the beginning");
    while (at_ < text_.size()) {
      if (!mapping()) {
        fault_("OPF-005", std::string(text_));
        break;
      }
      if (!take_space().empty() && at_ == text_.size()) fault_("OPF-004", "a space at the end");
    }
    return std::move(prefixes_);
  }

 private:
  // False: unexpected end of the text.
  bool mapping() {
    const std::string_view prefix = take_until(":");
    bool is_good = is_ncname(prefix);
    if (prefix.empty()) {
      fault_("OPF-004a", std::string(text_));
    } else if (!is_good) {
      fault_("OPF-004b", std::string(prefix));
    }
    if (!colon(prefix, is_good) || at_ == text_.size()) return false;
    const std::string_view uri = take_until("");
    if (!may_be_uri(uri)) {
      fault_("OPF-006", std::string(uri));
    } else if (is_good) {
      prefixes_.try_emplace(std::string(prefix), uri);
    }
    return true;
  }

  // The colon and the space after it. False: the text ends here.
  bool colon(std::string_view prefix, bool& is_good) {
    if (!take_space().empty()) {
      fault_("OPF-004c", std::string(prefix));
      is_good = false;
    }
    if (at_ == text_.size()) return false;
    if (text_[at_] != ':') return true;
    at_ = std::min(text_.find_first_not_of(':', at_), text_.size());
    if (at_ == text_.size()) return false;
    const std::string_view space = take_space();
    if (space.empty()) {
      fault_("OPF-004d", std::string(prefix));
      is_good = false;
    } else if (space.find_first_not_of(' ') != std::string_view::npos) {
      fault_("OPF-004e", std::string(prefix));
    }
    return true;
  }

  std::string_view take_space() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(kXmlSpace, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  // Consumes text up to a space or one of these characters.
  std::string_view take_until(std::string_view stops) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_xml_space(text_[at_]) && !stops.contains(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const FaultListener& fault_;
  Prefixes prefixes_;
};

}  // namespace

Prefixes read_prefixes(std::string_view value, const FaultListener& fault) {
  return PrefixReader(value, fault).run();
}

Prefixes read_prefixes(std::string_view value, std::span<const PropertyVocabulary> reserved,
                       std::span<const std::string_view> defaults, const FaultListener& fault) {
  Prefixes prefixes = read_prefixes(value, fault);
  for (auto at = prefixes.begin(); at != prefixes.end();) {
    const auto& [prefix, uri] = *at;
    const bool is_default = std::ranges::find(defaults, uri) != defaults.end();
    const bool is_dublin = uri == kDublinNamespace;
    if (prefix == "_") {
      fault("OPF-007a", prefix);
    } else if (is_default) {
      fault("OPF-007b", prefix);
    } else if (is_dublin) {
      fault("OPF-007c", prefix);
    } else {
      const auto owner = std::ranges::find(reserved, prefix, &PropertyVocabulary::prefix);
      if (owner != reserved.end() && owner->uri != uri) fault("OPF-007", prefix);
      ++at;
      continue;
    }
    at = prefixes.erase(at);
  }
  return prefixes;
}

}  // namespace tidemill::epub
