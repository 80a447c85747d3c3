#include "tidemill/formats/tokens/tokenizer.h"

#include <array>
#include <charconv>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/tokens/hf/tokenizer.h"
#include "tidemill/formats/tokens/split.h"
#include "tidemill/formats/tokens/text_counter.h"
#include "tidemill/formats/tokens/unicode.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {
namespace {

// Increment when a change of the rules changes counts.
constexpr std::string_view kRulesVersion = "1";

std::string hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

class TableTokenizer final : public Tokenizer {
 public:
  TableTokenizer(std::string name, Vocabulary vocabulary, SplitRules rules)
      : name_(std::move(name)),
        fingerprint_(name_ + "/" + hex(vocabulary.checksum()) + "/rules-" +
                     std::string(kRulesVersion) + "/unicode-" + std::string(kUnicodeVersion)),
        vocabulary_(std::move(vocabulary)),
        rules_(rules) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool is_exact() const override { return true; }
  [[nodiscard]] std::unique_ptr<TokenCounter> counter() const override {
    return make_counter(vocabulary_, rules_);
  }

 private:
  std::string name_;
  std::string fingerprint_;
  Vocabulary vocabulary_;
  SplitRules rules_;
};

class EstimateCounter final : public TokenCounter {
 public:
  void feed(std::string_view part) override { bytes_ += part.size(); }
  std::uint64_t finish() override { return (std::exchange(bytes_, 0) + 3) / 4; }

 private:
  std::uint64_t bytes_ = 0;
};

class Estimate final : public Tokenizer {
 public:
  [[nodiscard]] std::string_view name() const override { return "bytes/4"; }
  [[nodiscard]] std::string_view fingerprint() const override { return "bytes/4"; }
  [[nodiscard]] bool is_exact() const override { return false; }
  [[nodiscard]] std::unique_ptr<TokenCounter> counter() const override {
    return std::make_unique<EstimateCounter>();
  }
};

Result<std::unique_ptr<Tokenizer>> open_table(const std::string& name, const std::string& folder,
                                              SplitRules rules) {
  LET(Vocabulary vocabulary, Vocabulary::open(folder + "/" + name + ".tokens"));
  return std::make_unique<TableTokenizer>(name, std::move(vocabulary), rules);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> open_tokenizer(const std::string& name,
                                                  const std::string& folder) {
  if (name == "cl100k_base") return open_table(name, folder, SplitRules::cl100k);
  if (name == "o200k_base") return open_table(name, folder, SplitRules::o200k);
  if (name == "bytes/4") return std::make_unique<Estimate>();
  if (name.contains('/') || name.ends_with(".json")) return open_hf_tokenizer(name);
  auto failure = fail(Cure::give_up, "tokenizer", "no such tokenizer: '" + name + "'");
  failure.error().hint = "use o200k_base, cl100k_base, bytes/4, or the path of a tokenizer.json";
  return failure;
}

}  // namespace tidemill::tokens
