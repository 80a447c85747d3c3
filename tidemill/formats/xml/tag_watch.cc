#include "tidemill/formats/xml/tag_watch.h"

namespace tidemill::xml {

bool TagWatch::see(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const bool is_far = state_ == State::text || state_ == State::value;
    if (is_far) at = bytes.find(state_ == State::text ? '<' : quote_, at);
    if (at == std::string_view::npos) return true;
    if (!step(bytes[at])) return false;
  }
  return true;
}

bool TagWatch::step(char byte) {
  switch (state_) {
    case State::text:
      seen_.clear();
      state_ = State::open;
      return true;
    case State::open:
      open(byte);
      return declarations_ <= most_;
    case State::tag:
      return attribute(byte);
    case State::value:
      state_ = State::tag;
      return true;
    case State::skipped:
      seen_.push_back(byte);
      if (seen_.size() > end_.size()) seen_.erase(0, 1);
      if (seen_ == end_) state_ = State::text;
      return true;
  }
  return true;
}

bool TagWatch::attribute(char byte) {
  if (byte == '>') state_ = State::text;
  if (byte != '"' && byte != '\'') return true;
  quote_ = byte;
  state_ = State::value;
  return ++count_ <= most_;
}

// The bytes after '<' decide what it begins.
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
