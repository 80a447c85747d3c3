// make_token_table: builds the token table (image_layout.h) of a rank file. Runs during the build
// of the project.
//
// usage: make_token_table cl100k_base.tiktoken cl100k_base.tokens
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace {

tidemill::Result<void> make(const char* rank_file, const char* table) {
  std::ifstream input(rank_file, std::ios::binary);
  const std::string ranks{std::istreambuf_iterator<char>(input), {}};
  const auto plan = tidemill::tokens::plan_of_ranks(ranks);
  if (!plan) return std::unexpected(plan.error());
  const auto image = tidemill::tokens::image_of(*plan);
  if (!image) return std::unexpected(image.error());
  std::ofstream output(table, std::ios::binary | std::ios::trunc);
  output.write(image->data(), static_cast<std::streamsize>(image->size()));
  output.close();
  if (!output) {
    return tidemill::fail(tidemill::Cure::give_up, "write", std::string(table) + ": write failed");
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_token_table RANKS.tiktoken TABLE.tokens\n", stderr);
    return 2;
  }
  const auto made = make(argv[1], argv[2]);
  if (made) return 0;
  std::fprintf(stderr, "make_token_table: %s\n", tidemill::text_of(made.error()).c_str());
  return 1;
}
