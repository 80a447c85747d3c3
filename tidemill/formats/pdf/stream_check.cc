#include "tidemill/formats/pdf/stream_check.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "tidemill/formats/pdf/qpdf.h"

namespace tidemill::pdf {
namespace {

// On average, the streams of ordinary files grow by less than this factor.
constexpr std::uint64_t kUsualGrowth = 64;

// Ordinary files chain at most two expanding filters. With a third, the intermediate bytes can be a
// million times the size of the file, and only the output of the last filter is counted.
constexpr int kMostExpanding = 2;

constexpr std::array<std::string_view, 6> kExpanding = {
    "/FlateDecode", "/Fl", "/LZWDecode", "/LZW", "/RunLengthDecode", "/RL"};

class Counter final : public Pipeline {
 public:
  explicit Counter(std::uint64_t limit) : Pipeline("counter", nullptr), limit_(limit) {}

  void write(const unsigned char* /*data*/, std::size_t size) override {
    count_ += size;
    if (count_ > limit_) throw std::runtime_error("the stream is too large");
  }
  void finish() override {}

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool is_over() const { return count_ > limit_; }

 private:
  std::uint64_t limit_;
  std::uint64_t count_ = 0;
};

int expanding_filters(QPDFObjectHandle& stream) {
  const QPDFObjectHandle filter = stream.getDict().getKey("/Filter");
  QPDFObjectHandle filters = filter;
  if (!filters.isArray()) return 1;
  int count = 0;
  for (int at = 0; at < filters.getArrayNItems(); ++at) {
    const QPDFObjectHandle item = filters.getArrayItem(at);
    QPDFObjectHandle name = item;
    if (name.isName() && std::ranges::find(kExpanding, name.getName()) != kExpanding.end()) {
      ++count;
    }
  }
  return count;
}

}  // namespace

StreamCheck::StreamCheck(const PdfLimits& limits, std::uint64_t file_size)
    : stream_limit_(limits.stream.count),
      left_(limits.all_streams.count +
            std::min<std::uint64_t>(file_size, 1ULL << 50U) * kUsualGrowth) {}

std::optional<std::string> StreamCheck::decode(QPDFObjectHandle& stream) {
  if (expanding_filters(stream) > kMostExpanding) return "too many nested filters";
  if (left_ == 0) return "not checked: the streams before it were too large in total";
  const std::uint64_t limit = std::min(stream_limit_, left_);
  Counter counter(limit);
  bool is_filtered = false;
  (void)stream.pipeStreamData(&counter, &is_filtered, 0, qpdf_dl_specialized);
  left_ -= std::min(left_, counter.count());
  if (!counter.is_over()) return std::nullopt;
  return "more than " + std::to_string(limit) + " bytes when decoded";
}

}  // namespace tidemill::pdf
