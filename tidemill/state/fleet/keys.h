// The keys of a fleet in Redis. All have the tag {FLEET}: one fleet is in one slot of a cluster.
//
//   {FLEET}:runs        hash    run → what its coordinator published (board.h)
//   {FLEET}:published   hash    run → when that was, the server's time in ms
//   {FLEET}:hosts       hash    consumer → what a worker process says about itself
//   {FLEET}:paused      set     runs
//   {FLEET}:drained     set     hosts
//   {FLEET}:RUN:epoch   string  the newest epoch
//   {FLEET}:RUN:q       stream  parcels; id EPOCH-NUMBER; fields t: tasks, m: signature
//                               group "w": a consumer per worker process; pending = held
//   {FLEET}:RUN:out     stream  reports; fields p: parcel, w: worker, r: reports, m: signature
//   {FLEET}:RUN:w       hash    worker → its time at the server in ms, and its card
//   {FLEET}:RUN:forged  string  how many parcels and reports without a valid signature were removed
#pragma once

#include <string>
#include <string_view>

namespace tidemill::fleet {

inline constexpr std::string_view kGroup = "w";

struct FleetKeys {
  explicit FleetKeys(std::string_view fleet)
      : runs(key(fleet, "runs")),
        published(key(fleet, "published")),
        hosts(key(fleet, "hosts")),
        paused(key(fleet, "paused")),
        drained(key(fleet, "drained")) {}

  [[nodiscard]] static std::string key(std::string_view fleet, std::string_view rest) {
    std::string text = "{";
    text += fleet;
    text += "}:";
    text += rest;
    return text;
  }

  std::string runs;
  std::string published;
  std::string hosts;
  std::string paused;
  std::string drained;
};

struct FleetRunKeys {
  FleetRunKeys(std::string_view fleet, std::string_view run)
      : base(FleetKeys::key(fleet, run)),
        epoch(base + ":epoch"),
        parcels(base + ":q"),
        reports(base + ":out"),
        workers(base + ":w"),
        forged(base + ":forged") {}

  std::string base;
  std::string epoch;
  std::string parcels;
  std::string reports;
  std::string workers;
  std::string forged;
};

}  // namespace tidemill::fleet
