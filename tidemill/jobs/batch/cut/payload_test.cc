#include "tidemill/jobs/batch/cut/payload.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/batch/cut/sample_weighed.h"
#include "tidemill/jobs/batch/send/sender.h"

namespace tidemill::batch {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Payload, IsOneLineOfJsonWhateverTheNames) {
  const auto roots = BatchRoots::open({::testing::TempDir()});
  ASSERT_TRUE(roots);
  const std::string dir = roots->at(0).real + "/";
  Weighed plain = weighed("a\n\"b\"\\\x01\u00e9", 3);
  plain.content = "line\nnext";
  Weighed odd = weighed("x\xff", 4);
  odd.content = "\xfe";
  const Batch batch{.id = "i", .files = {plain, odd}, .tokens = 7};
  EXPECT_EQ(payload_of(batch, *roots, Paths::relative, false),
            "{\"id\":\"i\",\"files\":[{\"path\":\"a\\n\\\"b\\\"\\\\\\u0001\u00e9\",\"tokens\":3},"
            "{\"pathBase64\":\"eP8=\",\"tokens\":4}],\"totalTokens\":7}");
  const std::string whole = payload_of(batch, *roots, Paths::absolute, true);
  EXPECT_TRUE(whole.contains("\"path\":\"" + dir + "a\\n"));
  EXPECT_TRUE(whole.contains("\"content\":\"line\\nnext\""));
  EXPECT_TRUE(whole.contains("\"contentBase64\":\"/g==\""));
  EXPECT_FALSE(whole.contains("oversize"));
  EXPECT_FALSE(whole.contains('\n'));
  const Batch large{.id = "i", .files = {plain}, .tokens = 3, .is_oversize = true};
  EXPECT_TRUE(payload_of(large, *roots, Paths::relative, false)
                  .ends_with("\"totalTokens\":3,\"oversize\":true}"));
}

RC_GTEST_PROP(Subject, ReadsBackAsItWasWritten,
              (std::string cursor, std::string payload, std::uint64_t files,
               std::uint64_t tokens)) {
  const std::string subject = subject_of(
      {.id = "an-id", .cursor = cursor, .files = files, .tokens = tokens, .payload = payload});
  const auto stored = stored_of(subject);
  RC_ASSERT(stored.has_value());
  RC_ASSERT(stored->id == "an-id");
  RC_ASSERT(stored->cursor == cursor);
  RC_ASSERT(stored->payload == payload);
  RC_ASSERT(stored->files == files);
  RC_ASSERT(stored->tokens == tokens);
}

TEST(Subject, RejectsInvalidText) {
  for (const char* const text : {"", "id", "id ", "id 1", "id 1 ", "id 1 2", "id 1 2 ", "id 1 2 3",
                                 "id 1 2 3:", "id 1 2 3:ab", "id x 2 0:", "id 1 -2 0:", "id 1 2 x:",
                                 "id 1 2 99999999999999999999:", "id  1 2 0:"}) {
    EXPECT_FALSE(stored_of(text)) << text;
  }
  EXPECT_TRUE(stored_of("id 1 2 3:abc"));
  EXPECT_TRUE(stored_of("id 1 2 0:"));
}

RC_GTEST_PROP(Subject, ParsesAnyBytesSafely, (std::string bytes)) {
  const auto stored = stored_of(bytes);
  if (stored) RC_ASSERT(stored->cursor.size() + stored->payload.size() <= bytes.size());
  (void)totals_of(bytes);
  (void)sent_of(bytes);
  if (const auto cursor = cursor_of(bytes, 3)) RC_ASSERT(cursor->root < 3);
}

TEST(Notes, TotalsAndSentReadBackAsTheyWereWritten) {
  const BatchTotals totals{
      .batches = 1,
      .files = kMax,
      .tokens = 3,
      .oversize = 4,
      .first = 5,
      .skipped = {{"binary", 6}, {"not a regular file", kMax}, {"too large", 0}}};
  EXPECT_EQ(totals_of(text_of(totals)), totals);
  EXPECT_EQ(totals_of(text_of(BatchTotals{})), BatchTotals{});
  EXPECT_EQ(totals_of(""), BatchTotals{});
  EXPECT_EQ(BatchTotals{}.first, 1U);
  const Sent sent{.last = kMax, .batches = 2, .files = 3, .tokens = 4};
  EXPECT_EQ(sent_of(text_of(sent)), sent);
  EXPECT_EQ(sent_of(""), Sent{});
}

RC_GTEST_PROP(CursorText, ReadsBackAsItWasWritten, (std::string path)) {
  const Cursor cursor{.root = *rc::gen::inRange<std::size_t>(0, 12), .path = path};
  RC_ASSERT(cursor_of(text_of(cursor), 12) == cursor);
  RC_ASSERT(!cursor_of(text_of(cursor), cursor.root).has_value());
}

TEST(CursorText, RejectsInvalidText) {
  for (const char* const text : {"", "/", "x/a", "-1/a", "1", "3/a", "99999999999999999999/a"}) {
    EXPECT_FALSE(cursor_of(text, 3)) << text;
  }
  EXPECT_EQ(cursor_of("2/", 3), (Cursor{.root = 2}));
}

}  // namespace
}  // namespace tidemill::batch
