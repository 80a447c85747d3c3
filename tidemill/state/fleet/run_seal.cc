#include "tidemill/state/fleet/run_seal.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "tidemill/base/varint.h"
#include "tidemill/state/fleet/packing.h"

namespace tidemill::fleet {
namespace {

using redis::Reply;

constexpr std::string_view kParcel = "parcel";
constexpr std::string_view kReport = "report";

std::string entry_of(std::uint64_t high, std::uint64_t low) {
  std::string text = std::to_string(high);
  text += '-';
  text += std::to_string(low);
  return text;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void append_text(std::string& to, std::string_view text) {
  append_varint(to, text.size());
  to += text;
}

// Empty if the entry has no such field.
std::string_view field_of(const Reply& entry, std::string_view name) {
  const auto& fields = entry.items[1].items;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i].text == name) return fields[i + 1].text;
  }
  return {};
}

}  // namespace

std::string entry_id_of(engine::ParcelId id) { return entry_of(id.epoch, id.number); }
std::string entry_id_of(engine::ReportId id) { return entry_of(id.time, id.sequence); }

std::optional<engine::ParcelId> parcel_id_of(std::string_view entry) {
  const std::size_t dash = entry.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto epoch = number_of(entry.substr(0, dash));
  const auto number = number_of(entry.substr(dash + 1));
  if (!epoch || !number) return std::nullopt;
  return engine::ParcelId{.epoch = *epoch, .number = *number};
}

std::string_view entry_id_of(const Reply& entry) {
  return entry.items.size() == 2 ? std::string_view(entry.items[0].text) : std::string_view();
}

RunSeal::RunSeal(std::string_view fleet, std::string_view run, FleetKey key)
    : key_(std::move(key)) {
  append_text(place_, fleet);
  append_text(place_, run);
}

std::string RunSeal::start_of(engine::ParcelId id) const {
  std::string start = place_;
  append_varint(start, id.epoch);
  append_varint(start, id.number);
  return start;
}

std::string RunSeal::sign(engine::ParcelId id, std::string_view tasks) const {
  if (!key_.is_given()) return {};
  return key_.sign(kParcel, start_of(id).append(tasks));
}

std::string RunSeal::sign(engine::ParcelId parcel, std::string_view worker,
                          std::string_view reports) const {
  if (!key_.is_given()) return {};
  std::string signed_bytes = start_of(parcel);
  append_text(signed_bytes, worker);
  return key_.sign(kReport, signed_bytes.append(reports));
}

std::optional<engine::FleetParcel> RunSeal::open_parcel(const Reply& entry) const {
  const auto id = parcel_id_of(entry_id_of(entry));
  if (!id) return std::nullopt;
  const std::string_view bytes = field_of(entry, "t");
  if (key_.is_given() &&
      !key_.is_signed(kParcel, start_of(*id).append(bytes), field_of(entry, "m"))) {
    return std::nullopt;
  }
  auto tasks = unpack_tasks(bytes);
  if (!tasks) return std::nullopt;
  return engine::FleetParcel{.id = *id, .tasks = *std::move(tasks)};
}

std::optional<engine::ParcelReport> RunSeal::open_report(const Reply& entry) const {
  const auto id = parcel_id_of(entry_id_of(entry));  // of the same form
  if (!id) return std::nullopt;
  const auto parcel = parcel_id_of(field_of(entry, "p"));
  if (!parcel) return std::nullopt;
  const std::string_view worker = field_of(entry, "w");
  const std::string_view bytes = field_of(entry, "r");
  if (key_.is_given()) {
    std::string signed_bytes = start_of(*parcel);
    append_text(signed_bytes, worker);
    signed_bytes += bytes;
    if (!key_.is_signed(kReport, signed_bytes, field_of(entry, "m"))) return std::nullopt;
  }
  auto tasks = unpack_reports(bytes);
  if (!tasks) return std::nullopt;
  return engine::ParcelReport{.id = {.time = id->epoch, .sequence = id->number},
                              .parcel = *parcel,
                              .worker = std::string(worker),
                              .tasks = *std::move(tasks)};
}

OpenedEntries<engine::FleetParcel> open_parcels(const RunSeal& seal, const Reply& entries) {
  OpenedEntries<engine::FleetParcel> opened;
  for (const Reply& entry : entries.items) {
    if (auto parcel = seal.open_parcel(entry)) {
      opened.valid.push_back(*std::move(parcel));
    } else if (!entry_id_of(entry).empty()) {
      opened.invalid.emplace_back(entry_id_of(entry));
    }
  }
  return opened;
}

}  // namespace tidemill::fleet
