// Formats times, hashes and roots of a catalogue for people and for programs. Pure, except that
// local times depend on the time zone. Nothing can fail.
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
// A killed scan also shows as running: the catalogue cannot tell the difference.
[[nodiscard]] std::string ending_text(const catalogue::RootSummary& root);

// Writes the time unless it is 0.
void write_time(text::JsonWriter& json, std::string_view key, catalogue::Seconds time);
// Writes the members of a root into an open object.
void write_members(const catalogue::RootSummary& root, text::JsonWriter& json);

}  // namespace tidemill::app
