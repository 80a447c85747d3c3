#include "tidemill/jobs/import/read/reader.h"

#include <chrono>
#include <memory>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/blocks.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::import {

void SourceReader::run() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    base_ = i * kPlaces;
    if (!read(*files_[i], 0)) return;
  }
  while (const auto again = flow_.wait_for_again(files_.size())) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i]->number != again->file) continue;
      base_ = (files_.size() + i) * kPlaces;
      if (!read(*files_[i], again->reading)) return;
    }
  }
  flow_.blocks.close();
}

SourceReader::Progress SourceReader::progress() {
  const auto at_hand = at_hand_.lock();
  Progress progress{.read = at_hand->before, .file = at_hand->file};
  if (at_hand->input != nullptr) progress.read += Bytes{at_hand->input->consumed()};
  return progress;
}

bool SourceReader::send(BatchPtr batch, const SourceFile& file, std::uint32_t reading) {
  batch->order = order_++;
  batch->file = file.number;
  batch->reading = reading;
  batch->base = base_;
  const Bytes size{batch->block.size};
  flow_.take_room(size);
  return flow_.blocks.push(std::move(batch), size) == engine::Push::sent;
}

bool SourceReader::read(const SourceFile& file, std::uint32_t reading) {
  bool is_over = false;
  auto record = read_blocks(file, reading, is_over);
  {
    const auto at_hand = at_hand_.lock();
    at_hand->input = nullptr;
    at_hand->before += Bytes{file.size};
  }
  if (is_over) return !flow_.is_stopped();
  auto last = std::make_unique<RowBatch>();
  if (record) {
    last->end = *std::move(record);
  } else {
    last->failure = std::move(record).error();
  }
  return send(std::move(last), file, reading);
}

// `is_over`: the import was stopped, or this reading is no longer needed.
Result<SourceRecord> SourceReader::read_blocks(const SourceFile& file, std::uint32_t reading,
                                               bool& is_over) {
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::xxh3));
  LET(const auto input, jsonl::Input::open(file.path, stop_));
  input->tap(
      [](void* context, std::span<const char> bytes) {
        static_cast<hash::Hasher*>(context)->update(std::as_bytes(bytes));
      },
      &hasher);
  {
    const auto at_hand = at_hand_.lock();
    at_hand->file = &file;
    at_hand->input = input.get();
  }
  struct Leave {  // progress() must not use the input after this function returns
    Guarded<AtHand>& at_hand;
    ~Leave() { at_hand.lock()->input = nullptr; }
  } const leave{at_hand_};
  jsonl::BlockReader blocks(*input, {.size = kBlock, .longest = longest_line_});
  for (;;) {
    is_over = !flow_.wait_for_room() || flow_.is_wanted_again(file.number);
    if (is_over) break;
    BatchPtr batch = flow_.new_batch();
    LET(const bool is_there, blocks.next(batch->block));
    if (!is_there) break;
    if (blocks.bytes() >= kPlaces) return fail(Cure::give_up, "read", "longer than 1 TiB");
    is_over = !send(std::move(batch), file, reading);
    if (is_over) break;
  }
  SourceRecord record{.stamp = input->stamp(), .hash{}, .bytes = blocks.bytes(), .counts = {}};
  record.hash = std::string(hasher.finish().view());
  // A second write within the same clock tick would not change the stamp. Without ctime, the next
  // import compares the hash.
  const auto now = clock_.wall().time_since_epoch();
  record.has_changed = !input->is_unchanged().value_or(false);
  if (record.has_changed || record.stamp.is_fresh(std::chrono::nanoseconds(now).count())) {
    record.stamp.ctime_ns = 0;
  }
  return record;
}

}  // namespace tidemill::import
