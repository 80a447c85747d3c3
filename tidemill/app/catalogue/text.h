// How the verbs of the catalogue write times, hashes and roots, for people and for programs. Pure,
// but for the time zone of local times. Nothing can fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/formats/text/json.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::app {

[[nodiscard]] std::string minute_of(catalogue::Seconds time);  // local; 0: "never"
[[nodiscard]] std::string second_of_ns(std::int64_t nanoseconds);
[[nodiscard]] std::string algorithm_text(std::uint8_t number);  // "xxh3"
// What is not true of a killed scan is said of it: "running" is all that the catalogue knows.
[[nodiscard]] std::string ending_text(const catalogue::RootSummary& root);

// A point in time, if there is one.
void write_time(text::JsonWriter& json, std::string_view key, catalogue::Seconds time);
// The members of a root, in an object that has begun.
void write_members(const catalogue::RootSummary& root, text::JsonWriter& json);

}  // namespace tidemill::app
