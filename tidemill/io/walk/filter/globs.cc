#include "tidemill/io/walk/filter/globs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::walk {
namespace {

constexpr std::size_t kWordBits = 64;

std::unexpected<Failure> refused(std::string_view pattern, std::string_view why,
                                 std::string_view hint) {
  return std::unexpected(
      Failure{.step = "glob",
              .reason = "pattern '" + std::string(pattern) + "' " + std::string(why),
              .hint = std::string(hint)});
}

}  // namespace

// Compiles a pattern in one pass from left to right. One thread.
class GlobCompiler {
 public:
  GlobCompiler(std::string_view whole, std::string_view text, Glob& glob)
      : whole_(whole), text_(text), glob_(glob) {}

  Result<void> run() {
    while (at_ < text_.size()) {
      TRY(take(text_[at_++]));
      if (glob_.states_.size() >= Glob::kMostStates) {
        return refused(whole_, "is too long", "split it into several patterns");
      }
    }
    if (!braces_.empty())
      return refused(whole_, "has '{' without '}'", "use \\{ for a literal brace");
    emit(Glob::Sign::accept, 0);
    glob_.close_over_free_moves();
    return {};
  }

 private:
  // An open '{'.
  struct Brace {
    std::size_t fork = 0;              // of the current alternative
    std::vector<std::size_t> jumps{};  // from the ends of the earlier alternatives
    bool begins_part = false;
    bool ends_part = true;  // true of every alternative so far
  };

  std::size_t here() const { return glob_.states_.size(); }

  std::size_t emit(Glob::Sign sign, std::size_t value) {
    glob_.states_.push_back({.sign = sign, .value = static_cast<std::uint32_t>(value)});
    return here() - 1;
  }

  void emit_byte(char byte) {
    emit(Glob::Sign::byte, static_cast<unsigned char>(byte));
    if (braces_.empty()) glob_.tail_ += byte;
    glob_.is_for_paths_ |= byte == '/';
    begins_part_ = byte == '/';
  }

  void emit_other(Glob::Sign sign, std::size_t value) {
    emit(sign, value);
    glob_.tail_.clear();
    begins_part_ = false;
  }

  Result<void> take(char sign) {
    switch (sign) {
      case '*':
        take_stars();
        return {};
      case '?':
        emit_other(Glob::Sign::any, 0);
        return {};
      case '[':
        return take_class();
      case '{':
        open_brace();
        return {};
      case '\\':
        if (at_ == text_.size())
          return refused(whole_, "ends with '\\'", "use \\\\ for a literal backslash");
        emit_byte(text_[at_++]);
        return {};
      default:
        break;
    }
    if (sign == ',' && !braces_.empty()) {
      next_alternative();
    } else if (sign == '}' && !braces_.empty()) {
      close_brace();
    } else {
      emit_byte(sign);
    }
    return {};
  }

  void take_stars() {
    const std::size_t first = at_ - 1;
    while (at_ < text_.size() && text_[at_] == '*') ++at_;
    if (at_ - first == 1) return emit_other(Glob::Sign::star, 0);
    const bool is_folders = begins_part_ && at_ < text_.size() && text_[at_] == '/';
    if (!is_folders) return emit_other(Glob::Sign::stars, 0);
    ++at_;
    const std::size_t fork = emit(Glob::Sign::fork, 0);
    emit(Glob::Sign::stars, 0);
    emit(Glob::Sign::byte, '/');
    glob_.states_[fork].value = static_cast<std::uint32_t>(here());
    glob_.tail_.clear();
    glob_.is_for_paths_ = true;
    begins_part_ = true;
  }

  Result<void> take_class() {
    Glob::ByteClass bytes;
    const bool is_negated = at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^');
    if (is_negated) ++at_;
    for (bool is_first = true;; is_first = false) {
      if (at_ >= text_.size()) return unclosed_class();
      if (text_[at_] == ']' && !is_first) break;
      LET(const unsigned char low, class_byte());
      unsigned char high = low;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        LET(high, class_byte());
      }
      for (unsigned byte = low; byte <= high; ++byte) bytes.set(byte);
    }
    ++at_;
    if (is_negated) bytes.flip();
    bytes.reset('/');
    glob_.classes_.push_back(bytes);
    emit_other(Glob::Sign::of_class, glob_.classes_.size() - 1);
    return {};
  }

  Result<unsigned char> class_byte() {
    if (text_[at_] == '\\' && ++at_ >= text_.size()) return unclosed_class();
    return static_cast<unsigned char>(text_[at_++]);
  }

  std::unexpected<Failure> unclosed_class() const {
    return refused(whole_, "has '[' without ']'", "use \\[ for a literal bracket");
  }

  void open_brace() {
    const bool begins_part = begins_part_;
    emit_other(Glob::Sign::fork, 0);
    begins_part_ = begins_part;
    braces_.push_back({.fork = here() - 1, .begins_part = begins_part});
  }

  void next_alternative() {
    Brace& brace = braces_.back();
    brace.jumps.push_back(emit(Glob::Sign::jump, 0));
    glob_.states_[brace.fork].value = static_cast<std::uint32_t>(here());
    brace.fork = emit(Glob::Sign::fork, 0);
    brace.ends_part &= begins_part_;
    begins_part_ = brace.begins_part;
  }

  void close_brace() {
    const Brace brace = std::move(braces_.back());
    braces_.pop_back();
    glob_.states_[brace.fork].value = static_cast<std::uint32_t>(brace.fork + 1);
    for (const std::size_t jump : brace.jumps) {
      glob_.states_[jump].value = static_cast<std::uint32_t>(here());
    }
    begins_part_ &= brace.ends_part;
  }

  std::string_view whole_;
  std::string_view text_;
  Glob& glob_;
  std::size_t at_ = 0;
  bool begins_part_ = true;  // the next byte begins a path component
  std::vector<Brace> braces_;
};

Result<Glob> Glob::compile(std::string_view pattern) {
  if (pattern.empty()) return refused(pattern, "is empty", "");
  if (pattern.starts_with('!')) {
    return refused(pattern, "begins with '!'",
                   "use --exclude, or \\! for a literal exclamation mark");
  }
  Glob glob;
  std::string_view text = pattern;
  if (text.ends_with('/')) {
    glob.wants_folder_ = true;
    text.remove_suffix(1);
  }
  if (text.starts_with('/')) {
    glob.is_for_paths_ = true;
    text.remove_prefix(1);
  }
  if (text.empty()) return refused(pattern, "does not match anything below ROOT", "");
  TRY(GlobCompiler(pattern, text, glob).run());
  return glob;
}

// Moves that consume no byte only lead forward, so one pass from the back finds each target done.
void Glob::close_over_free_moves() {
  words_ = (states_.size() + kWordBits - 1) / kWordBits;
  reach_.assign(states_.size() * words_, 0);
  const auto add = [&](std::size_t state, std::size_t target) {
    for (std::size_t w = 0; w < words_; ++w) {
      reach_[state * words_ + w] |= reach_[target * words_ + w];
    }
  };
  for (std::size_t i = states_.size(); i-- > 0;) {
    reach_[i * words_ + i / kWordBits] |= std::uint64_t{1} << (i % kWordBits);
    const State& state = states_[i];
    if (state.sign == Sign::star || state.sign == Sign::stars) add(i, i + 1);
    if (state.sign == Sign::jump) add(i, state.value);
    if (state.sign == Sign::fork) {
      add(i, i + 1);
      add(i, state.value);
    }
  }
}

bool Glob::eats(const State& state, unsigned char byte) const {
  switch (state.sign) {
    case Sign::byte:
      return state.value == byte;
    case Sign::any:
    case Sign::star:
      return byte != '/';
    case Sign::of_class:
      return classes_[state.value].test(byte);
    case Sign::stars:
      return true;
    case Sign::fork:
    case Sign::jump:
    case Sign::accept:
      return false;
  }
  return false;
}

bool Glob::run(std::string_view text) const {
  if (!text.ends_with(tail_)) return false;
  using Set = std::array<std::uint64_t, kMostStates / kWordBits + 1>;
  std::array<Set, 2> sets;  // only the first words_ of each are used
  std::uint64_t* now = sets[0].data();
  std::uint64_t* next = sets[1].data();
  std::copy_n(reach_.begin(), words_, now);
  for (const char c : text) {
    std::fill_n(next, words_, 0);
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = now[w]; left != 0; left &= left - 1) {
        const std::size_t i = w * kWordBits + static_cast<std::size_t>(std::countr_zero(left));
        const State& state = states_[i];
        if (!eats(state, static_cast<unsigned char>(c))) continue;
        const bool stays = state.sign == Sign::star || state.sign == Sign::stars;
        const std::uint64_t* reached = &reach_[(stays ? i : i + 1) * words_];
        for (std::size_t k = 0; k < words_; ++k) next[k] |= reached[k];
        any = 1;
      }
    }
    if (any == 0) return false;
    std::swap(now, next);
  }
  const std::size_t last = states_.size() - 1;
  return ((now[last / kWordBits] >> (last % kWordBits)) & 1U) != 0;
}

bool Glob::matches(std::string_view path, std::string_view name, bool is_folder) const {
  if (wants_folder_ && !is_folder) return false;
  return run(is_for_paths_ ? path : name);
}

}  // namespace tidemill::walk
