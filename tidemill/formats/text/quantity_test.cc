#include "tidemill/formats/text/quantity.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tidemill/formats/text/counted.h"

namespace tidemill::text {
namespace {

using namespace std::chrono_literals;

TEST(Quantity, DurationsUseAFittingUnit) {
  EXPECT_EQ(duration_text(0s), "0 s");
  EXPECT_EQ(duration_text(-5s), "0 s");
  EXPECT_EQ(duration_text(300us), "<1 ms");
  EXPECT_EQ(duration_text(240ms), "240 ms");
  EXPECT_EQ(duration_text(3200ms), "3.2 s");
  EXPECT_EQ(duration_text(4min + 12s), "4 min 12 s");
  EXPECT_EQ(duration_text(4min + 2s), "4 min 02 s");
  EXPECT_EQ(duration_text(2h + 5min), "2 h 05 min");
  EXPECT_EQ(duration_text(27h), "1 d 3 h");
  EXPECT_EQ(duration_text(24h * 1000), "1,000 d 0 h");
}

TEST(Quantity, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(duration_text(999'600us), "1.0 s");
  EXPECT_EQ(duration_text(59'949ms), "59.9 s");
  EXPECT_EQ(duration_text(59'950ms), "1 min 00 s");
  EXPECT_EQ(duration_text(59min + 59'600ms), "1 h 00 min");
  EXPECT_EQ(duration_text(23h + 59min + 30s), "1 d 0 h");
  EXPECT_EQ(duration_text(47h + 40min), "2 d 0 h");
  EXPECT_EQ(seconds_text(59'499ms), "59 s");
  EXPECT_EQ(seconds_text(59'500ms), "1 min 00 s");
}

TEST(Quantity, FormatsTheLongestDuration) {
  EXPECT_EQ(duration_text(std::chrono::nanoseconds::max()), "106,752 d 0 h");
}

TEST(Quantity, RunningTimesAreWholeSeconds) {
  EXPECT_EQ(seconds_text(0s), "0 s");
  EXPECT_EQ(seconds_text(400ms), "0 s");
  EXPECT_EQ(seconds_text(14s), "14 s");
  EXPECT_EQ(seconds_text(74s), "1 min 14 s");
}

TEST(Quantity, RatesUseAFittingUnit) {
  EXPECT_EQ(rate_text(812), "812/s");
  EXPECT_EQ(rate_text(12'345.6), "12,346/s");
  EXPECT_EQ(rate_text(9.94), "9.9/s");
  EXPECT_EQ(rate_text(9.96), "10/s");
  EXPECT_EQ(rate_text(1), "1.0/s");
  EXPECT_EQ(rate_text(3.1 / 60), "3.1/min");
  EXPECT_EQ(rate_text(2.0 / 3600), "2.0/h");
  EXPECT_EQ(rate_text(0.4 / 3600), "0.4/h");
  EXPECT_EQ(rate_text(0), "0/s");
}

TEST(Quantity, InvalidRatesAreZeroOrTheLargest) {
  EXPECT_EQ(rate_text(-1), "0/s");
  EXPECT_EQ(rate_text(std::nan("")), "0/s");
  EXPECT_EQ(rate_text(std::numeric_limits<double>::infinity()), "100,000,000,000,000,000/s");
  EXPECT_EQ(byte_rate_text(std::nan("")), "0 B/s");
  EXPECT_EQ(byte_rate_text(std::numeric_limits<double>::infinity()), "100 PB/s");
}

TEST(Quantity, CountsAreGrouped) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Quantity, CountedNounsAreSingularOrPlural) {
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(2'500, "file"), "2,500 files");
  EXPECT_EQ(counted(1, "batch", "batches"), "1 batch");
  EXPECT_EQ(counted(2, "batch", "batches"), "2 batches");
}

TEST(Quantity, SizesAreInPowersOfAThousand) {
  EXPECT_EQ(bytes_text({0}), "0 B");
  EXPECT_EQ(bytes_text({999}), "999 B");
  EXPECT_EQ(bytes_text({1000}), "1.0 kB");
  EXPECT_EQ(bytes_text({1'440'000'000}), "1.4 GB");
  EXPECT_EQ(bytes_text({142'000'000'000}), "142 GB");
  EXPECT_EQ(bytes_text({999'999}), "1.0 MB");
  EXPECT_EQ(bytes_text({99'960}), "100 kB");
  EXPECT_EQ(bytes_text({std::numeric_limits<std::uint64_t>::max()}), "18.4 EB");
  EXPECT_EQ(byte_rate_text(1.4e9), "1.4 GB/s");
}

}  // namespace
}  // namespace tidemill::text
