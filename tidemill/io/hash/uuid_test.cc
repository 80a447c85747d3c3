#include "tidemill/io/hash/uuid.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemill::hash {
namespace {

using namespace std::string_literals;  // NOLINT: a name that holds a NUL

constexpr std::string_view kDns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

// The first is from RFC 9562, the others from Python's uuid module.
TEST(Uuid, MatchesOtherImplementations) {
  EXPECT_EQ(uuid5(kDns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(uuid5("6BA7B811-9DAD-11D1-80B4-00C04FD430C8", ""),
            "1b4db7eb-4057-5ddf-91e0-36dec72071f5");
  EXPECT_EQ(uuid5("no uuid", "n\0\xc3\xa4"s), "50553ea2-be7a-5b8f-9c9c-85ccd5ebe7d9");
  EXPECT_EQ(uuid5("6ba7b814-9dad-11d1-80b4-00c04fd430c8", std::string(100'000, 'x')),
            "77d5968d-77e4-59d3-8ad3-c33dbd5ae385");
}

TEST(Uuid, IsDistinguishedFromOtherTexts) {
  EXPECT_TRUE(is_uuid(kDns));
  EXPECT_TRUE(is_uuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"));
  EXPECT_TRUE(is_uuid(uuid5("", "")));
  for (const std::string& text :
       {""s, "6ba7b810-9dad-11d1-80b4-00c04fd430c"s, "6ba7b810-9dad-11d1-80b4-00c04fd430c8\n"s,
        "6ba7b8109dad11d180b400c04fd430c8"s, "{6ba7b810-9dad-11d1-80b4-00c04fd430}"s,
        "6ba7b810-9dad-11d1-80b4-00c04fd430g8"s, "6ba7b810-9dad-11d1-80b4\0 00c04fd430c"s,
        "6ba7b8109-dad-11d1-80b4-00c04fd430c8"s}) {
    EXPECT_FALSE(is_uuid(text)) << text;
  }
}

}  // namespace
}  // namespace tidemill::hash
