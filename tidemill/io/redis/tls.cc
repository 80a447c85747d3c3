#include "tidemill/io/redis/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

// The text of the oldest error, such as "certificate verify failed"; clears the queue.
std::string oldest_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* const reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "TLS failed";
}

// Our own BIO, because the socket BIO of OpenSSL raises SIGPIPE.
int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent =
      ::send(descriptor_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t read = ::recv(descriptor_of(bio), bytes, static_cast<std::size_t>(size), 0);
  if (read < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (read == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(read);
}

long bio_control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

const BIO_METHOD* bio_method() {
  static BIO_METHOD* const method = [] {  // never freed
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tidemill");
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_ctrl(made, bio_control);
    BIO_meth_set_create(made, bio_create);
    return made;
  }();
  return method;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool expect_name(SSL* session, const std::string& name) {
  if (is_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name.c_str()) == 1;
  }
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_set_tlsext_host_name(session, name.c_str()) == 1;
}

std::unexpected<Failure> fail_setting(const std::string& what) {
  return fail(Cure::give_up, what + ": " + oldest_error());
}

}  // namespace

void TlsEnd::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsEnd::operator()(ssl_st* session) const { SSL_free(session); }

Result<Tls> Tls::make(const TlsOptions& options) {
  Tls tls;
  tls.name_ = options.name;
  tls.context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = tls.context_.get();
  if (context == nullptr) return fail_setting("TLS");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // Replies are self-delimiting: truncation is detected without a TLS close_notify.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
  const bool has_authorities =
      options.authorities.empty()
          ? SSL_CTX_set_default_verify_paths(context) == 1
          : SSL_CTX_load_verify_file(context, options.authorities.c_str()) == 1;
  if (!has_authorities) return fail_setting("CA certificates " + options.authorities);
  if (options.certificate.empty()) return tls;
  if (SSL_CTX_use_certificate_chain_file(context, options.certificate.c_str()) != 1) {
    return fail_setting("certificate " + options.certificate);
  }
  const std::string& key = options.key.empty() ? options.certificate : options.key;
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return fail_setting("key " + key);
  }
  return tls;
}

Result<std::unique_ptr<TlsSession>> TlsSession::open(const Tls& tls, int descriptor,
                                                     const std::string& host,
                                                     const CallDeadline& deadline) {
  auto session = std::make_unique<TlsSession>();
  session->session_.reset(SSL_new(tls.context_.get()));
  BIO* const bio = BIO_new(bio_method());
  if (session->session_ == nullptr || bio == nullptr) {
    BIO_free(bio);
    return fail(Cure::retry, oldest_error());
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));  // NOLINT
  SSL_set_bio(session->session_.get(), bio, bio);
  if (!expect_name(session->session_.get(), tls.name_.empty() ? host : tls.name_)) {
    return fail_setting("the server's name");
  }
  TRY(session->shake_hands(descriptor, deadline));
  return session;
}

Result<void> TlsSession::shake_hands(int descriptor, const CallDeadline& deadline) {
  while (true) {
    ERR_clear_error();
    errno = 0;
    const int answer = SSL_connect(session_.get());
    if (answer == 1) return {};
    const long verified = SSL_get_verify_result(session_.get());
    if (verified != X509_V_OK) {
      ERR_clear_error();
      return std::unexpected(Failure{
          .cure = Cure::give_up,
          .step = "redis",
          .reason = "server certificate: " + std::string(X509_verify_cert_error_string(verified)),
          .hint = "check --tls-ca and the host name"});
    }
    short events = 0;
    TRY(not_now(answer, events));
    TRY(deadline.wait(descriptor, events));
  }
}

Result<std::size_t> TlsSession::not_now(int answer, short& events) {
  const int error = errno;
  switch (SSL_get_error(session_.get(), answer)) {
    case SSL_ERROR_WANT_READ:
      events = POLLIN;
      return 0;
    case SSL_ERROR_WANT_WRITE:
      events = POLLOUT;
      return 0;
    case SSL_ERROR_ZERO_RETURN:
      return fail(Cure::retry, "the server closed the connection");
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      if (error == 0) return fail(Cure::retry, "the server closed the connection");
      return fail_errno("TLS", error);
    default: {
      // An alert means that the server refuses, and an invalid handshake that it does not speak
      // TLS: both are permanent. After the handshake, an invalid record is a transmission error.
      const bool is_alert = ERR_GET_REASON(ERR_peek_error()) >= SSL_AD_REASON_OFFSET;
      const bool is_final = is_alert || SSL_is_init_finished(session_.get()) == 0;
      return fail(is_final ? Cure::give_up : Cure::retry, "TLS: " + oldest_error());
    }
  }
}

Result<std::size_t> TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  errno = 0;
  std::size_t size = 0;
  write_events_ = 0;
  const int answer = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &size);
  if (answer == 1) return size;
  return not_now(answer, write_events_);
}

Result<std::size_t> TlsSession::read(std::span<char> into) {
  ERR_clear_error();
  errno = 0;
  std::size_t size = 0;
  read_events_ = 0;
  const int answer = SSL_read_ex(session_.get(), into.data(), into.size(), &size);
  if (answer == 1) return size;
  return not_now(answer, read_events_);
}

bool TlsSession::has_pending() const { return SSL_has_pending(session_.get()) == 1; }

short TlsSession::events(bool wants_to_write) const {
  const int reading = read_events_ == 0 ? POLLIN : read_events_;
  const int writing = write_events_ == 0 ? POLLOUT : write_events_;
  return static_cast<short>(wants_to_write ? reading | writing : reading);
}

}  // namespace tidemill::redis
