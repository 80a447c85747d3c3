#include "tests/docs/stub/delimiters.h"

#include "tests/docs/stub/letters.h"

namespace tidemill::docs_stub {
namespace {

// The sum of two runs of which one could do both must not be a multiple of three.
bool is_odd(const Delimiter& opener, const Delimiter& closer) {
  return (opener.closes || closer.opens) && (opener.run + closer.run) % 3 == 0 &&
         (opener.run % 3 != 0 || closer.run % 3 != 0);
}

void find_pairs(std::vector<Delimiter>& all) {
  std::size_t head = 0;  // of the run that the closer is in
  bool is_run = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Delimiter& closer = all[i];
    const bool follows = is_run && i > 0 && all[i - 1].token + 1 == closer.token &&
                         all[head].marker == closer.marker;
    if (!follows) head = i;
    is_run = true;
    if (!closer.closes) continue;
    for (std::size_t j = head; j-- > 0;) {
      Delimiter& opener = all[j];
      if (opener.marker != closer.marker || !opener.opens || opener.end >= 0) continue;
      if (is_odd(opener, closer)) continue;
      for (std::size_t k = j + 1; k < i; ++k) all[k].opens = false;
      opener.end = static_cast<int>(i);
      opener.closes = false;
      closer.opens = false;
      is_run = false;
      break;
    }
  }
}

void enclose(Token& open, Token& close, Mark::Kind kind) {
  open = {.kind = Token::Kind::open, .mark = {.kind = kind}};
  close = {.kind = Token::Kind::close, .mark = {.kind = kind}};
}

void mark_emphasis(std::vector<Token>& tokens, const std::vector<Delimiter>& all) {
  for (std::size_t i = all.size(); i-- > 0;) {
    const Delimiter& start = all[i];
    if ((start.marker != '*' && start.marker != '_') || start.end < 0) continue;
    const auto end = static_cast<std::size_t>(start.end);
    const bool is_double =
        i > 0 && all[i - 1].end == start.end + 1 && all[i - 1].marker == start.marker &&
        all[i - 1].token + 1 == start.token && all[end + 1].token == all[end].token + 1;
    const auto kind = !is_double            ? Mark::Kind::em
                      : start.marker == '*' ? Mark::Kind::strong
                                            : Mark::Kind::underline;
    enclose(tokens[start.token], tokens[all[end].token], kind);
    if (is_double) {
      tokens[all[i - 1].token].text.clear();
      tokens[all[end + 1].token].text.clear();
      --i;
    }
  }
}

// The odd one of ~~~ stands in front; behind the text it belongs behind the mark.
void mark_doubles(std::vector<Token>& tokens, const std::vector<Delimiter>& all, char marker,
                  Mark::Kind kind) {
  std::vector<std::size_t> lone;
  for (const auto& start : all) {
    if (start.marker != marker || start.end < 0) continue;
    const std::size_t end = all[static_cast<std::size_t>(start.end)].token;
    enclose(tokens[start.token], tokens[end], kind);
    if (tokens[end - 1].kind == Token::Kind::text &&
        tokens[end - 1].text == std::string(1, marker)) {
      lone.push_back(end - 1);
    }
  }
  for (; !lone.empty(); lone.pop_back()) {
    std::size_t last = lone.back();
    while (last + 1 < tokens.size() && tokens[last + 1].kind == Token::Kind::close &&
           tokens[last + 1].mark.kind == kind) {
      ++last;
    }
    std::swap(tokens[lone.back()], tokens[last]);
  }
}

}  // namespace

Run run_at(const std::string& text, std::size_t at) {
  Run run;
  const char marker = text[at];
  while (at + run.length < text.size() && text[at + run.length] == marker) ++run.length;
  const std::size_t end = at + run.length;
  const char32_t before = at == 0 ? U' ' : letter_before(text, at);
  const char32_t after = end == text.size() ? U' ' : letter_at(text, end);
  const bool left =
      !is_space(after) && (!is_punctuation(after) || is_space(before) || is_punctuation(before));
  const bool right =
      !is_space(before) && (!is_punctuation(before) || is_space(after) || is_punctuation(after));
  const bool splits_words = marker != '_';
  run.opens = left && (splits_words || !right || is_punctuation(before));
  run.closes = right && (splits_words || !left || is_punctuation(after));
  return run;
}

void pair_up(std::vector<Token>& tokens, std::vector<Delimiter>& delimiters) {
  find_pairs(delimiters);
  mark_doubles(tokens, delimiters, '~', Mark::Kind::strike);
  mark_doubles(tokens, delimiters, '=', Mark::Kind::highlight);
  mark_emphasis(tokens, delimiters);
}

}  // namespace tidemill::docs_stub
