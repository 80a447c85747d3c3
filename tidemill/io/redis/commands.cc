// Encoding of commands as RESP arrays, and the hashes of scripts.
#include <openssl/evp.h>

#include <array>
#include <charconv>

#include "tidemill/base/hex.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

void append_head(std::string& to, char kind, std::size_t number) {
  std::array<char, 24> text{kind};
  char* const end = std::to_chars(text.data() + 1, text.data() + 22, number).ptr;
  end[0] = '\r';
  end[1] = '\n';
  to.append(text.data(), static_cast<std::size_t>(end - text.data()) + 2);
}

}  // namespace

void Commands::add(std::initializer_list<std::string_view> words) {
  add(std::span(words.begin(), words.size()));
}

void Commands::add(std::span<const std::string_view> words) {
  append_head(bytes_, '*', words.size());
  for (const std::string_view word : words) {
    append_head(bytes_, '$', word.size());
    bytes_ += word;
    bytes_ += "\r\n";
  }
  ++count_;
}

Script::Script(std::string_view text) : text_(text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  // Redis identifies scripts by SHA-1; this is not used for security. Where SHA-1 is disabled, the
  // hash stays empty, which matches no script, and EVAL is used instead.
  if (EVP_Digest(text_.data(), text_.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
    return;
  sha1_ = hex_of(std::span(digest).first(size));
}

}  // namespace tidemill::redis
