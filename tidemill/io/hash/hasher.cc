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
// The header above redirects the library's functions, which are built for any x86-64, to variants
// that use AVX2 and AVX-512 where available: 2 to 3 times as fast. They need two workarounds.
// First, they detect the processor in the first call with more than 240 bytes, without a lock: that
// call is made here, in a static initialiser, which C++ runs on one thread.
void choose_variant() {
  static const XXH128_hash_t chosen = [] {
    const std::array<char, 256> zeros{};
    return XXH3_128bits(zeros.data(), zeros.size());
  }();
  static_cast<void>(chosen);
}

// Second, they leave the upper halves of the vector registers dirty, which slows down the next SSE
// instruction: 0.3 µs per file.
[[gnu::target("avx")]] void clear_upper_halves() { __builtin_ia32_vzeroupper(); }
void clear_vector_state() {
  if (__builtin_cpu_supports("avx") != 0) clear_upper_halves();
}
#else
void choose_variant() {}
void clear_vector_state() {}
#endif

std::unexpected<Failure> unavailable(Algorithm algorithm) {
  return fail(Cure::give_up, "hash",
              "OpenSSL on this machine does not support " + std::string(name_of(algorithm)));
}

}  // namespace

// Between calls it is always ready for the next hash.
struct Hasher::State {
  Algorithm algorithm = Algorithm::xxh3;
  std::unique_ptr<XXH3_state_t, FreeXxh3> xxh3{};  // for xxh3 only; the others use OpenSSL
  std::unique_ptr<EVP_MD, FreeMethod> method{};
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{};
  bool is_valid = true;  // false: an OpenSSL call has failed since start()

  bool start() {
    if (xxh3) return XXH3_128bits_reset(xxh3.get()) == XXH_OK;
    return is_valid = EVP_DigestInit_ex2(context.get(), method.get(), nullptr) == 1;
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
    clear_vector_state();
  } else if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    state_->is_valid = false;
  }
}

Digest Hasher::finish() {
  if (state_->xxh3) {
    const Digest digest = digest_of(XXH3_128bits_digest(state_->xxh3.get()));
    state_->start();
    return digest;
  }
  Digest digest{.size = static_cast<std::uint8_t>(width_of(state_->algorithm))};
  const bool is_good = state_->is_valid &&
                       EVP_DigestFinal_ex(state_->context.get(), digest.bytes.data(), nullptr) == 1;
  state_->start();
  return is_good ? digest : Digest{};
}

Digest Hasher::of(std::span<const std::byte> bytes) {
  if (state_->xxh3) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    clear_vector_state();
    return digest_of(hash);
  }
  update(bytes);
  return finish();
}

}  // namespace tidemill::hash
