#include "tidemill/formats/jsonl/input.h"

#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/source.h"
#include "tidemill/formats/jsonl/unpacker.h"

namespace tidemill::jsonl {
namespace {

Packing packing_of(std::string_view front) {
  if (front.starts_with("\x1f\x8b")) return Packing::gzip;
  if (front == "\x28\xb5\x2f\xfd") return Packing::zstd;
  // A skippable frame: pzstd begins with one. JSON cannot begin with these bytes.
  if (front.size() == 4 && front[0] >= '\x50' && front[0] <= '\x5f' &&
      front.substr(1) == "\x2a\x4d\x18") {
    return Packing::zstd;
  }
  return Packing::none;
}

std::unique_ptr<Unpacker> unpacker_of(Packing packing) {
  switch (packing) {
    case Packing::none:
      return nullptr;
    case Packing::gzip:
      return gzip_unpacker();
    case Packing::zstd:
      return zstd_unpacker();
  }
  return nullptr;
}

// One thread, except consumed().
class SourceInput final : public Input {
 public:
  SourceInput(const std::string& path, std::stop_token stop) : source_(path, std::move(stop)) {}

  [[nodiscard]] Result<void> open() {
    TRY(source_.open());
    packing_ = packing_of(source_.front());
    unpacker_ = unpacker_of(packing_);
    return {};
  }

  [[nodiscard]] Result<std::size_t> read(std::span<char> into) override {
    if (!unpacker_) return source_.read(into);
    if (failure_) return std::unexpected(*failure_);
    LET(const Unpacked unpacked, unpacker_->read(source_, into));
    unpacked_ += unpacked.size;
    if (unpacked.damage.empty()) return unpacked.size;
    failure_ = failure_of(unpacked.damage);
    if (unpacked.size == 0) return std::unexpected(*failure_);
    return unpacked.size;
  }

  void tap(Tap to, void* context) override { source_.tap(to, context); }
  [[nodiscard]] Packing packing() const override { return packing_; }
  [[nodiscard]] const FileStamp& stamp() const override { return source_.stamp(); }
  [[nodiscard]] Result<bool> is_unchanged() const override { return source_.is_unchanged(); }
  [[nodiscard]] std::uint64_t consumed() const override { return source_.consumed(); }

 private:
  [[nodiscard]] Failure failure_of(std::string_view damage) const {
    return {.cure = Cure::give_up,
            .step = "inflate",
            .reason = source_.name() + ": " + std::string(damage) + ", after " +
                      std::to_string(unpacked_) + " bytes of text"};
  }

  Source source_;
  Packing packing_ = Packing::none;
  std::unique_ptr<Unpacker> unpacker_;  // null: not compressed
  std::uint64_t unpacked_ = 0;
  std::optional<Failure> failure_;  // returned after the last valid bytes, and by every later read
};

}  // namespace

std::string_view name_of(Packing packing) {
  switch (packing) {
    case Packing::none:
      return "none";
    case Packing::gzip:
      return "gzip";
    case Packing::zstd:
      return "zstd";
  }
  return "unknown";
}

Result<std::unique_ptr<Input>> Input::open(const std::string& path, std::stop_token stop) {
  auto input = std::make_unique<SourceInput>(path, std::move(stop));
  TRY(input->open());
  return input;
}

}  // namespace tidemill::jsonl
