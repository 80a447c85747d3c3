#include "tidemill/jobs/dupes/fleet/hash_tasks.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"
#include "tidemill/base/varint.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/dupes/fleet/hash_payload.h"
#include "tidemill/jobs/dupes/rehash/recorded_reader.h"

namespace tidemill::dupes {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// 0: it can be opened.
int error_of_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder.is_open() ? 0 : errno;
}

}  // namespace

Result<HashTasks> HashTasks::of(const std::vector<HashOrder>& orders) {
  HashTasks tasks(orders);
  tasks.find_roots();
  for (std::uint64_t salt = 0;; ++salt) {
    LET(const bool are_unique, tasks.give_ids(salt));
    if (are_unique) return tasks;
  }
}

void HashTasks::find_roots() {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const std::string& root = orders_[i].root;
    auto place = places_.find(root);
    if (place == places_.end()) place = places_.emplace(root, place_of(root)).first;
    const Failure& failure = place->second.failure;
    if (failure != Failure{}) unreachable_.push_back({.order = i, .failure = failure});
  }
}

HashTasks::Place HashTasks::place_of(const std::string& root) {
  std::string folder = root;
  int error = error_of_folder(folder);
  const bool is_file = error == ENOTDIR && root.rfind('/') != std::string::npos;
  if (is_file) {
    folder.resize(std::max<std::size_t>(root.rfind('/'), 1));
    error = error_of_folder(folder);
  }
  if (error != 0) return {.failure = cannot_enter(error).error()};
  return {.root = add_root(std::move(folder)), .is_file = is_file};
}

std::uint64_t HashTasks::add_root(std::string path) {
  const auto known = std::ranges::find(roots_, path, &Root::path);
  if (known != roots_.end()) return static_cast<std::uint64_t>(known - roots_.begin());
  const std::string first(last_part(path).empty() ? "root" : last_part(path));
  std::string name = first;
  for (int number = 2; std::ranges::find(roots_, name, &Root::name) != roots_.end(); ++number) {
    name = first + "-" + std::to_string(number);
  }
  roots_.push_back({.name = std::move(name), .path = std::move(path)});
  return roots_.size() - 1;
}

std::string HashTasks::payload_of(std::size_t order) const {
  const HashOrder& wanted = orders_[order];
  const Place& place = places_.at(wanted.root);
  const std::string& path = wanted.line->path;
  HashPayload payload{.root = place.root,
                      .algorithm = wanted.file.algorithm,
                      .stamp = wanted.file.stamp,
                      .path = place.is_file
                                  ? wanted.file.name
                                  : path.substr(wanted.root.size() + (wanted.root == "/" ? 0 : 1))};
  payload.stamp.device = 0;
  return pack(payload);
}

Result<bool> HashTasks::give_ids(std::uint64_t salt) {
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::sha256));
  ids_.assign(orders_.size(), 0);
  by_id_.clear();
  std::size_t next_unreachable = 0;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (next_unreachable < unreachable_.size() && unreachable_[next_unreachable].order == i) {
      ++next_unreachable;
      continue;
    }
    std::string text;
    append_varint(text, salt);
    append_varint(text, orders_[i].root.size());
    text += orders_[i].root;
    text += payload_of(i);
    const hash::Digest digest = hasher.of(std::as_bytes(std::span(text)));
    std::uint64_t bits = 0;
    if (digest.size < sizeof bits) return fail(Cure::retry, "hash", "out of memory");
    std::memcpy(&bits, digest.bytes.data(), sizeof bits);
    ids_[i] = std::max<engine::TaskId>(bits & engine::kLastTaskId, 1);
    by_id_.emplace_back(ids_[i], i);
  }
  std::ranges::sort(by_id_);
  const auto are_different = [&](const auto& one, const auto& other) {
    return one.first == other.first && (orders_[one.second].root != orders_[other.second].root ||
                                        payload_of(one.second) != payload_of(other.second));
  };
  return std::ranges::adjacent_find(by_id_, are_different) == by_id_.end();
}

std::vector<std::size_t> HashTasks::orders_of(engine::TaskId id) const {
  std::vector<std::size_t> orders;
  for (auto [found, end] =
           std::ranges::equal_range(by_id_, id, {}, &std::pair<engine::TaskId, std::size_t>::first);
       found != end; ++found) {
    orders.push_back(found->second);
  }
  return orders;
}

}  // namespace tidemill::dupes
