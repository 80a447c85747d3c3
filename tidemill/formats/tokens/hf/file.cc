// Reads the three parts of a file that affect counts, in this order: the normalizer (must be
// absent), the split patterns, and the model.
#include "tidemill/formats/tokens/hf/file.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/formats/tokens/unicode.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {
namespace {

// The exact patterns of published files. Each has its own code that splits a text in the same way.
// Other patterns are not supported: this program never runs a regular expression over a text.

constexpr std::string_view kCl100k =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kQwen =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The published file contains literal line ends where others have \r and \n.
constexpr std::array<std::string_view, 3> kDeepseek = {
    R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};

// The built-in pattern of ByteLevel, used unless `use_regex` is false.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// `patterns`: the patterns that the steps isolate, in order.
std::optional<HfSplit> split_of(std::span<const std::string_view> patterns) {
  if (std::ranges::equal(patterns, kDeepseek)) return HfSplit::deepseek;
  if (patterns.size() != 1) return std::nullopt;
  if (patterns[0] == kCl100k) return HfSplit::cl100k;
  if (patterns[0] == kQwen) return HfSplit::qwen;
  if (patterns[0] == kO200k) return HfSplit::o200k;
  if (patterns[0] == kGpt2Pattern) return HfSplit::gpt2;
  return std::nullopt;
}

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kDeepest = 32;  // levels of objects and arrays
constexpr std::size_t kMostMerges = 4 * kMaxTokens;
constexpr std::size_t kShown = 60;  // columns of text quoted in a failure
// Every token is merged once from its bytes, which takes time quadratic in its length.
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 28U;

// The alphabet of byte-level files: a visible character for each byte, so that any token can be
// written in JSON. Printable bytes of Latin-1 represent themselves, the other 68 are mapped to
// U+0100 and up.
constexpr std::size_t kCharacters = 0x100 + 68;
constexpr int kNone = -1;

constexpr bool stands_for_itself(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
}

constexpr auto kBytes = [] {
  std::array<int, kCharacters> bytes{};
  std::size_t next = 0x100;
  for (std::size_t byte = 0; byte < 0x100; ++byte) {
    bytes[byte] = stands_for_itself(byte) ? static_cast<int>(byte) : kNone;
    if (!stands_for_itself(byte)) bytes[next++] = static_cast<int>(byte);
  }
  return bytes;
}();

// The bytes that `token` represents; nullopt: it is empty or has a character outside the alphabet.
std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const text::Character character = text::front_character(token);
    if (character.length == 0 || character.code >= kCharacters) return std::nullopt;
    const int byte = kBytes[character.code];
    if (byte == kNone) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    token.remove_prefix(character.length);
  }
  if (bytes.empty()) return std::nullopt;
  return bytes;
}

std::unexpected<Failure> refuse(std::string why) {
  return fail(Cure::give_up, "tokenizer", std::move(why));
}

std::string in_quotes(std::string_view text) { return '"' + text::fit(text, kShown) + '"'; }

// The value of a field; nullopt: missing or null. A duplicate name is refused, because parsers
// differ on which value counts.
Result<std::optional<element>> field(object in, std::string_view name) {
  std::optional<element> found;
  bool was_seen = false;
  for (const auto [key, value] : in) {
    if (key != name) continue;
    if (was_seen) return refuse(in_quotes(name) + " is given twice");
    was_seen = true;
    if (!value.is_null()) found = value;
  }
  return found;
}

template <class T>
Result<T> as(element value, std::string_view name, std::string_view kind) {
  T typed{};
  if (value.get(typed) != simdjson::SUCCESS) {
    return refuse(in_quotes(name) + " is not " + std::string(kind));
  }
  return typed;
}

template <class T>
Result<T> needed(object in, std::string_view name, std::string_view kind) {
  LET(const auto found, field(in, name));
  if (!found) return refuse(in_quotes(name) + " is missing");
  return as<T>(*found, name, kind);
}

Result<std::string_view> type_of(object in) {
  return needed<std::string_view>(in, "type", "a string");
}

Result<bool> flag(object in, std::string_view name, bool otherwise) {
  LET(const auto found, field(in, name));
  if (!found) return otherwise;
  return as<bool>(*found, name, "true or false");
}

// Refuses a field that is not absent, null, empty or 0.
Result<void> none(object in, std::string_view name) {
  LET(const auto found, field(in, name));
  std::string_view text = "?";
  double number = 1;
  if (!found || (found->get(text) == simdjson::SUCCESS && text.empty()) ||
      (found->get(number) == simdjson::SUCCESS && number == 0)) {
    return {};
  }
  return refuse(in_quotes(name) + " is not supported");
}

// No normalizer is supported. Some files have an empty sequence instead of none.
Result<void> check_normalizer(object top) {
  LET(const auto found, field(top, "normalizer"));
  if (!found) return {};
  LET(const object normalizer, as<object>(*found, "normalizer", "an object"));
  LET(const std::string_view type, type_of(normalizer));
  if (type != "Sequence") return refuse("normalizer " + in_quotes(type) + " is not supported");
  LET(const array steps, needed<array>(normalizer, "normalizers", "a list"));
  if (steps.begin() != steps.end()) return refuse("a sequence of normalizers is not supported");
  return {};
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const text::Character first = text::front_character(text);
    if (first.length == 0 || (kind_of(first.code) & kSpace) == 0) return false;
    text.remove_prefix(first.length);
  }
  return true;
}

// Special tokens are ordinary text here. But some models have added tokens of white space for
// indentation, and ignoring these would make counts of ordinary texts wrong.
Result<void> check_added_tokens(object top) {
  LET(const auto found, field(top, "added_tokens"));
  if (!found) return {};
  LET(const array tokens, as<array>(*found, "added_tokens", "a list"));
  for (const element token : tokens) {
    LET(const object described, as<object>(token, "added_tokens", "a list of objects"));
    LET(const auto content, needed<std::string_view>(described, "content", "a string"));
    if (is_blank(content)) return refuse("an added token of white space is not supported");
  }
  return {};
}

// The pattern whose matches a step isolates. The known patterns match everything, so removing the
// text between the matches has the same effect.
Result<std::string_view> pattern_of(object split) {
  LET(const object pattern, needed<object>(split, "pattern", "an object"));
  LET(const auto behavior, needed<std::string_view>(split, "behavior", "a string"));
  LET(const bool is_inverted, flag(split, "invert", false));
  if (behavior != "Isolated" && !(behavior == "Removed" && is_inverted)) {
    return refuse("Split with behavior " + in_quotes(behavior) + " is not supported");
  }
  return needed<std::string_view>(pattern, "Regex", "a string");
}

// The pattern of a ByteLevel step, which must be the last step; empty: it does not split.
Result<std::string_view> pattern_of_bytes(object step) {
  LET(const bool adds_space, flag(step, "add_prefix_space", true));
  if (adds_space) return refuse("ByteLevel with add_prefix_space is not supported");
  LET(const bool splits, flag(step, "use_regex", true));
  return splits ? kGpt2Pattern : std::string_view{};
}

Result<std::vector<object>> steps_of(object pre_tokenizer) {
  LET(const std::string_view type, type_of(pre_tokenizer));
  if (type != "Sequence") return std::vector{pre_tokenizer};
  LET(const array listed, needed<array>(pre_tokenizer, "pretokenizers", "a list"));
  std::vector<object> steps;
  for (const element step : listed) {
    LET(const object one, as<object>(step, "pretokenizers", "a list of objects"));
    steps.push_back(one);
  }
  return steps;
}

Result<HfSplit> read_split(object top) {
  LET(const object pre_tokenizer, needed<object>(top, "pre_tokenizer", "an object"));
  LET(const std::vector<object> steps, steps_of(pre_tokenizer));
  std::vector<std::string_view> patterns;
  bool is_byte_level = false;
  for (const object& step : steps) {
    LET(const std::string_view type, type_of(step));
    if (is_byte_level || (type != "Split" && type != "ByteLevel")) {
      return refuse("pre_tokenizer " + in_quotes(type) + " is not supported" +
                    (is_byte_level ? " after ByteLevel" : ""));
    }
    is_byte_level = type == "ByteLevel";
    LET(const std::string_view pattern, is_byte_level ? pattern_of_bytes(step) : pattern_of(step));
    if (!pattern.empty()) patterns.push_back(pattern);
  }
  if (!is_byte_level) return refuse("a pre_tokenizer without ByteLevel is not supported");
  if (const auto split = split_of(patterns)) return *split;
  if (patterns.empty()) return refuse("a pre_tokenizer that does not split is not supported");
  return refuse("unknown pattern " + in_quotes(patterns.back()) +
                (patterns.size() > 1 ? ", or sequence of patterns" : ""));
}

using Ids = std::unordered_map<std::string_view, std::uint32_t>;  // by bytes; keys are views

Result<void> read_tokens(object vocabulary, HfFile& file) {
  if (vocabulary.size() > kMaxTokens) return refuse("more than 2,097,151 tokens");
  std::vector<std::uint64_t> numbers;
  std::uint64_t work = 0;
  file.tokens.reserve(vocabulary.size());
  for (const auto [name, value] : vocabulary) {
    LET(const auto number, as<std::uint64_t>(value, name, "a token number"));
    numbers.push_back(number);
    auto bytes = bytes_of_token(name);
    if (!bytes) continue;  // a special token: no text is encoded to it
    if (bytes->size() > kMaxTokenBytes)
      return refuse("the token " + in_quotes(name) + " is too long");
    work += bytes->size() * bytes->size();
    file.tokens.push_back(std::move(*bytes));
  }
  if (work > kMostWork) return refuse("the tokens are too long");
  std::ranges::sort(numbers);
  if (std::ranges::adjacent_find(numbers) != numbers.end()) {
    return refuse("two tokens have the same number");
  }
  return {};
}

Result<Ids> index_tokens(const HfFile& file) {
  Ids ids;
  ids.reserve(file.tokens.size());
  for (std::uint32_t i = 0; i < file.tokens.size(); ++i) {
    if (!ids.emplace(file.tokens[i], i).second) {
      return refuse("the token " + in_quotes(file.tokens[i]) + " is listed twice");
    }
  }
  for (unsigned byte = 0; byte < 0x100; ++byte) {
    const bool is_in_utf8 = byte < 0xc0 || (byte > 0xc1 && byte < 0xf5);
    const char letter = static_cast<char>(byte);
    if (is_in_utf8 && !ids.contains({&letter, 1})) return refuse("a byte has no token");
  }
  return ids;
}

// "a b" or ["a", "b"]: the older and the newer notation of a merge.
Result<std::array<std::string_view, 2>> sides_of(element merge) {
  std::string_view text;
  if (merge.get(text) == simdjson::SUCCESS) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos)
      return refuse("the merge " + in_quotes(text) + " has only one side");
    return std::array{text.substr(0, blank), text.substr(blank + 1)};
  }
  LET(const array pair, as<array>(merge, "merges", "a list of pairs"));
  if (pair.size() != 2) return refuse("a merge does not have two sides");
  LET(const auto left,
      as<std::string_view>(pair.at(0).value_unsafe(), "merges", "a list of strings"));
  LET(const auto right,
      as<std::string_view>(pair.at(1).value_unsafe(), "merges", "a list of strings"));
  return std::array{left, right};
}

Result<HfMerge> read_merge(element merge, const Ids& ids) {
  LET(const auto sides, sides_of(merge));
  const auto left = bytes_of_token(sides[0]);
  const auto right = bytes_of_token(sides[1]);
  if (left && right) {
    const auto first = ids.find(*left);
    const auto second = ids.find(*right);
    const auto product = ids.find(*left + *right);
    if (first != ids.end() && second != ids.end() && product != ids.end()) {
      return HfMerge{.left = first->second, .right = second->second, .product = product->second};
    }
  }
  return refuse("the merge " + in_quotes(std::string(sides[0]) + ' ' + std::string(sides[1])) +
                " does not join two tokens into a token");
}

Result<void> read_merges(array merges, const Ids& ids, HfFile& file) {
  if (merges.size() > kMostMerges) return refuse("too many merges");
  std::vector<std::uint64_t> pairs;
  for (const element merge : merges) {
    LET(const HfMerge read, read_merge(merge, ids));
    file.merges.push_back(read);
    pairs.push_back(std::uint64_t{read.left} << 32U | read.right);
  }
  std::ranges::sort(pairs);
  if (const auto twice = std::ranges::adjacent_find(pairs); twice != pairs.end()) {
    return refuse("the merge of " + in_quotes(file.tokens[*twice >> 32U]) + " and " +
                  in_quotes(file.tokens[*twice & 0xffffffffU]) + " is listed twice");
  }
  return {};
}

// unk_token, fuse_unk and byte_fallback concern characters without a token, which cannot occur.
Result<void> read_model(object top, HfFile& file) {
  LET(const object model, needed<object>(top, "model", "an object"));
  LET(const auto type, field(model, "type"));  // missing in the oldest files
  if (type) {
    LET(const auto name, as<std::string_view>(*type, "type", "a string"));
    if (name != "BPE") return refuse("model " + in_quotes(name) + " is not supported");
  }
  TRY(none(model, "dropout"));
  TRY(none(model, "continuing_subword_prefix"));
  TRY(none(model, "end_of_word_suffix"));
  LET(file.ignores_merges, flag(model, "ignore_merges", false));
  LET(const object vocabulary, needed<object>(model, "vocab", "an object"));
  LET(const array merges, needed<array>(model, "merges", "a list"));
  TRY(read_tokens(vocabulary, file));
  LET(const Ids ids, index_tokens(file));
  return read_merges(merges, ids, file);
}

}  // namespace

std::string_view name_of(HfSplit split) {
  switch (split) {
    case HfSplit::cl100k:
      return "cl100k";
    case HfSplit::qwen:
      return "qwen";
    case HfSplit::o200k:
      return "o200k";
    case HfSplit::gpt2:
      return "gpt2";
    case HfSplit::deepseek:
      return "deepseek";
  }
  return "unknown";
}

Result<HfFile> read_hf_file(std::string_view json) {
  if (json.size() > kLargestHfFile.count) return refuse("larger than 64 MiB");
  simdjson::dom::parser parser(kLargestHfFile.count);
  element root;
  if (parser.allocate(json.size(), kDeepest) != simdjson::SUCCESS)
    return refuse("not enough memory");
  const auto error = parser.parse(json.data(), json.size()).get(root);
  if (error != simdjson::SUCCESS) {
    return refuse(std::string("not JSON: ") + simdjson::error_message(error));
  }
  LET(const object top, as<object>(root, "the file", "an object"));
  HfFile file;
  TRY(check_normalizer(top));
  TRY(check_added_tokens(top));
  LET(file.split, read_split(top));
  TRY(read_model(top, file));
  return file;
}

}  // namespace tidemill::tokens
