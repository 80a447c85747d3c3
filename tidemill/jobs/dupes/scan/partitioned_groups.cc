#include "tidemill/jobs/dupes/scan/partitioned_groups.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kChunk = std::size_t{16} << 10U;

template <class Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // NOLINT: bytes are chars
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

template <class Value>
void take(std::string_view& bytes, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
}

void take(std::string_view& bytes, std::string& text) {
  std::size_t size = 0;
  take(bytes, size);
  text.assign(bytes.substr(0, size));
  bytes.remove_prefix(size);
}

void pack(std::string& bytes, const Copy& copy) {
  put(bytes, copy.stamp);
  put(bytes, copy.blocks);
  put(bytes, copy.shared);
  put(bytes, copy.links);
  put(bytes, copy.host);
  put(bytes, copy.names.size());
  for (const FileName& name : copy.names) {
    put(bytes, name.path);
    put(bytes, name.root);
    put(bytes, name.is_reference);
  }
}

void unpack(std::string_view& bytes, Copy& copy) {
  take(bytes, copy.stamp);
  take(bytes, copy.blocks);
  take(bytes, copy.shared);
  take(bytes, copy.links);
  take(bytes, copy.host);
  std::size_t names = 0;
  take(bytes, names);
  copy.names.resize(names);
  for (FileName& name : copy.names) {
    take(bytes, name.path);
    take(bytes, name.root);
    take(bytes, name.is_reference);
  }
}

void pack(std::string& bytes, const Group& group) {
  put(bytes, group.size);
  put(bytes, group.digest);
  put(bytes, group.algorithm);
  put(bytes, group.is_verified);
  put(bytes, group.copies.size());
  for (const Copy& copy : group.copies) pack(bytes, copy);
}

Group unpack(std::string_view& bytes) {
  Group group;
  take(bytes, group.size);
  take(bytes, group.digest);
  take(bytes, group.algorithm);
  take(bytes, group.is_verified);
  std::size_t copies = 0;
  take(bytes, copies);
  group.copies.resize(copies);
  for (Copy& copy : group.copies) unpack(bytes, copy);
  return group;
}

// The next group of a run.
struct Front {
  PartitionReader reader;
  Group group{};
  std::uint64_t reclaimable = 0;

  // False: none is left.
  Result<bool> load() {
    LET(std::string_view* const rest, reader.rest());
    if (rest->empty()) return false;
    group = unpack(*rest);
    reclaimable = reclaimable_bytes(group);
    return true;
  }
};

// The comparison of a heap: whether `a` comes after `b`. The order is that of FoundGroups.
bool is_later(const Front* a, const Front* b) {
  return std::tuple(a->reclaimable, a->group.size, b->group.digest.view()) <
         std::tuple(b->reclaimable, b->group.size, a->group.digest.view());
}

}  // namespace

Result<void> PartitionedGroups::add(Groups& groups) {
  if (groups.size() == 0) return {};
  PartitionChunks run;
  std::string bytes;
  Result<void> written;
  const auto pass_on = [&] {
    run.push_back(partition_file_.reserve(bytes.size()));
    written = partition_file_.write(run.back(), bytes);
    bytes.clear();
  };
  TRY(groups.each([&](const Group& group) {
    pack(bytes, group);
    if (bytes.size() >= kChunk) pass_on();
    return written.has_value();
  }));
  if (written && !bytes.empty()) pass_on();
  TRY(written);
  runs_.push_back(std::move(run));
  size_ += groups.size();
  return {};
}

Result<void> PartitionedGroups::each(const std::function<bool(const Group&)>& on_group) {
  std::deque<Front> fronts;
  std::vector<Front*> heap;
  for (const PartitionChunks& run : runs_) {
    Front& front = fronts.emplace_back(PartitionReader(partition_file_, run));
    LET(const bool has_one, front.load());
    if (has_one) heap.push_back(&front);
  }
  std::ranges::make_heap(heap, is_later);
  for (std::uint64_t number = 1; !heap.empty(); ++number) {
    std::ranges::pop_heap(heap, is_later);
    Front& front = *heap.back();
    front.group.number = number;
    if (!on_group(front.group)) return {};
    LET(const bool has_one, front.load());
    if (has_one) {
      std::ranges::push_heap(heap, is_later);
    } else {
      heap.pop_back();
    }
  }
  return {};
}

}  // namespace tidemill::dupes
