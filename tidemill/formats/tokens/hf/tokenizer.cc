#include "tidemill/formats/tokens/hf/tokenizer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/tokens/hf/file.h"
#include "tidemill/formats/tokens/hf/merges.h"
#include "tidemill/formats/tokens/hf/split.h"
#include "tidemill/formats/tokens/split.h"
#include "tidemill/formats/tokens/text_counter.h"
#include "tidemill/formats/tokens/unicode.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {
namespace {

// Increment when a change affects the counts of a file.
constexpr std::string_view kRulesVersion = "1";

class HfTokenizer final : public Tokenizer {
 public:
  HfTokenizer(std::string path, Vocabulary vocabulary, HfSplit split)
      : path_(std::move(path)), vocabulary_(std::move(vocabulary)), split_(split) {
    // Not from the bytes of the file: a renamed or reformatted copy has the same fingerprint.
    std::array<char, 16> digits{};
    auto* const end = std::to_chars(digits.begin(), digits.end(), vocabulary_.checksum(), 16).ptr;
    fingerprint_ = "hf-" + std::string(name_of(split)) + "/" + std::string(digits.data(), end) +
                   "/rules-" + std::string(kRulesVersion) + "/unicode-" +
                   std::string(kUnicodeVersion);
  }

  [[nodiscard]] std::string_view name() const override { return path_; }
  [[nodiscard]] std::string_view fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool is_exact() const override { return true; }

  [[nodiscard]] std::unique_ptr<TokenCounter> counter() const override {
    switch (split_) {
      case HfSplit::cl100k:
        return make_counter(vocabulary_, SplitRules::cl100k);
      case HfSplit::qwen:
        return make_counter(vocabulary_, SplitRules::qwen);
      case HfSplit::o200k:
        return make_counter(vocabulary_, SplitRules::o200k);
      case HfSplit::gpt2:
        return make_counter(
            vocabulary_, Cutting{.piece_end = gpt2_piece_end, .endless_piece = gpt2_endless_piece});
      case HfSplit::deepseek:
        break;
    }
    return make_counter(vocabulary_, Cutting{.piece_end = deepseek_piece_end,
                                             .endless_piece = deepseek_endless_piece});
  }

 private:
  std::string path_;
  Vocabulary vocabulary_;
  HfSplit split_;
  std::string fingerprint_{};
};

std::unexpected<Failure> cannot_read(int error) {
  return fail(Cure::give_up, "tokenizer", system_text(error));
}

// Never blocks on a pipe and never reads without limit: only regular files up to 64 MiB.
Result<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) return cannot_read(errno);
  if (!S_ISREG(status.st_mode)) return fail(Cure::give_up, "tokenizer", "not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > kLargestHfFile.count) return fail(Cure::give_up, "tokenizer", "larger than 64 MiB");
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::unique_ptr<Tokenizer>> open_file(const std::string& path) {
  LET(const std::string bytes, read_file(path));
  LET(HfFile file, read_hf_file(bytes));
  const HfSplit split = file.split;
  LET(const VocabularyPlan plan, plan_of(std::move(file)));
  LET(std::string image, image_of(plan));
  LET(Vocabulary vocabulary, Vocabulary::of_image(std::move(image)));
  return std::make_unique<HfTokenizer>(path, std::move(vocabulary), split);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> open_hf_tokenizer(const std::string& path) {
  auto opened = open_file(path);
  if (!opened) opened.error().reason = text::printable(path) + ": " + opened.error().reason;
  return opened;
}

}  // namespace tidemill::tokens
