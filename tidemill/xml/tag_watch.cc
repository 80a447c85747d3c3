#include "tidemill/xml/tag_watch.h"

namespace tidemill::xml {

bool TagWatch::see(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char byte = bytes[at];
    switch (state_) {
      case State::text:
        at = bytes.find('<', at);
        if (at == std::string_view::npos) return true;
        seen_.clear();
        state_ = State::open;
        break;
      case State::open:
        open(byte);
        if (declarations_ > most_) return false;
        break;
      case State::tag:
        if (byte == '>') state_ = State::text;
        if (byte != '"' && byte != '\'') break;
        if (++count_ > most_) return false;
        quote_ = byte;
        state_ = State::value;
        break;
      case State::value:
        at = bytes.find(quote_, at);
        if (at == std::string_view::npos) return true;
        state_ = State::tag;
        break;
      case State::skipped:
        seen_.push_back(byte);
        if (seen_.size() > end_.size()) seen_.erase(0, 1);
        if (seen_ == end_) state_ = State::text;
        break;
    }
  }
  return true;
}

// What a '<' begins shows in the bytes behind it.
void TagWatch::open(char byte) {
  constexpr std::string_view kComment = "!--";
  constexpr std::string_view kCdata = "![CDATA[";
  seen_.push_back(byte);
  if (seen_ == "?") return skip_until("?>");
  if (seen_ == kComment) return skip_until("-->");
  if (seen_ == kCdata) return skip_until("]]>");
  if (kComment.starts_with(seen_) || kCdata.starts_with(seen_)) return;
  if (seen_.starts_with('!')) {
    ++declarations_;
    return skip_until(">");
  }
  count_ = 0;
  state_ = byte == '>' ? State::text : State::tag;
}

void TagWatch::skip_until(std::string_view end) {
  end_ = end;
  seen_.clear();
  state_ = State::skipped;
}

}  // namespace tidemill::xml
