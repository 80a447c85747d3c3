#include "tidemill/io/hash/hasher.h"

#include <openssl/evp.h>
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#define TIDEMILL_XXH3_DISPATCH
#include <xxh_x86dispatch.h>
#endif

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace tidemill::hash {
namespace {

struct FreeXxh3 {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeMethod {
  void operator()(EVP_MD* method) const { EVP_MD_free(method); }
};

const char* name_in_openssl(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::sha256:
      return "SHA2-256";
    case Algorithm::sha512:
      return "SHA2-512";
    case Algorithm::sha3_256:
      return "SHA3-256";
    case Algorithm::blake2b:
      return "BLAKE2B-512";
    case Algorithm::xxh3:
      break;  // not OpenSSL's
  }
  return "";
}

// Big-endian, as xxhsum prints it.
Digest digest_of(XXH128_hash_t hash) {
  XXH128_canonical_t canonical{};
  XXH128_canonicalFromHash(&canonical, hash);
  Digest digest{.size = sizeof canonical.digest};
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), digest.bytes.begin());
  return digest;
}

#ifdef TIDEMILL_XXH3_DISPATCH
// The header above gives the names of the library's functions, which are built for any x86-64, to
// variants that use AVX2 and AVX-512 where there are: 2 to 3 times as fast. Two things they leave
// to us. They look at the processor in the first call with more than 240 bytes, and take no lock
// for it: so that call is made here, where C++ lets one thread in.
void choose_variant() {
  static const XXH128_hash_t chosen = [] {
    const std::array<char, 256> zeros{};
    return XXH3_128bits(zeros.data(), zeros.size());
  }();
  static_cast<void>(chosen);
}

// And they leave the upper halves of the vector registers in use, for which the SSE instruction
// that comes next has to pay: 0.3 µs a file.
[[gnu::target("avx")]] void clear_upper_halves() { __builtin_ia32_vzeroupper(); }
void tidy_up() {
  if (__builtin_cpu_supports("avx") != 0) clear_upper_halves();
}
#else
void choose_variant() {}
void tidy_up() {}
#endif

std::unexpected<Failure> unavailable(Algorithm algorithm) {
  return fail(Cure::give_up, "hash",
              "OpenSSL on this machine does not support " + std::string(name_of(algorithm)));
}

}  // namespace

// Always ready for the first byte of the next one.
struct Hasher::State {
  Algorithm algorithm = Algorithm::xxh3;
  std::unique_ptr<XXH3_state_t, FreeXxh3> xxh3{};  // of xxh3 alone; the others use OpenSSL
  std::unique_ptr<EVP_MD, FreeMethod> method{};
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{};
  bool is_sound = true;  // what OpenSSL said since the last start

  bool start() {
    if (xxh3) return XXH3_128bits_reset(xxh3.get()) == XXH_OK;
    return is_sound = EVP_DigestInit_ex2(context.get(), method.get(), nullptr) == 1;
  }
};

Result<Hasher> Hasher::make(Algorithm algorithm) {
  auto state = std::make_unique<State>();
  state->algorithm = algorithm;
  if (algorithm == Algorithm::xxh3) {
    choose_variant();
    state->xxh3.reset(XXH3_createState());
    if (!state->xxh3) return fail(Cure::retry, "hash", "out of memory");
  } else {
    state->method.reset(EVP_MD_fetch(nullptr, name_in_openssl(algorithm), nullptr));
    if (!state->method) return unavailable(algorithm);
    state->context.reset(EVP_MD_CTX_new());
    if (!state->context) return fail(Cure::retry, "hash", "out of memory");
  }
  if (!state->start()) return unavailable(algorithm);
  return Hasher(std::move(state));
}

Hasher::Hasher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

Algorithm Hasher::algorithm() const { return state_->algorithm; }

void Hasher::update(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // its pointer may be null
  if (state_->xxh3) {
    XXH3_128bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
    tidy_up();
  } else if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    state_->is_sound = false;
  }
}

Digest Hasher::finish() {
  if (state_->xxh3) {
    const Digest digest = digest_of(XXH3_128bits_digest(state_->xxh3.get()));
    state_->start();
    return digest;
  }
  Digest digest{.size = static_cast<std::uint8_t>(width_of(state_->algorithm))};
  const bool is_good = state_->is_sound &&
                       EVP_DigestFinal_ex(state_->context.get(), digest.bytes.data(), nullptr) == 1;
  state_->start();
  return is_good ? digest : Digest{};
}

Digest Hasher::of(std::span<const std::byte> bytes) {
  if (state_->xxh3) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    tidy_up();
    return digest_of(hash);
  }
  update(bytes);
  return finish();
}

}  // namespace tidemill::hash
