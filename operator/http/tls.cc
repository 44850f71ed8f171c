#include "operator/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <utility>
#include <vector>

namespace torchsoak::http {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Store = std::unique_ptr<X509_STORE, Deleter<X509_STORE_free>>;

Bio ReadFrom(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without it OpenSSL would ask on the terminal for the password of an encrypted key.
int NoPassword(char*, int, int, void*) { return -1; }

tl::unexpected<Error> Bad(const std::string& what) {
  ERR_clear_error();
  return Fail(ErrorCode::kInvalid, what);
}

Expected<std::vector<Certificate>> ParseCertificates(const std::string& pem,
                                                     const std::string& what) {
  std::vector<Certificate> certificates;
  const Bio bio = ReadFrom(pem);
  while (X509* next = PEM_read_bio_X509_AUX(bio.get(), nullptr, NoPassword, nullptr)) {
    certificates.emplace_back(next);
  }
  // The usual end is "no start line"; anything else is a certificate that could not be read, and
  // going on without it would show up much later as a refused connection.
  const bool clean = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates.empty() || !clean) return Bad(what + " is not a list of PEM certificates");
  return certificates;
}

Expected<Key> ParseKey(const std::string& pem) {
  const Bio bio = ReadFrom(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (!key) return Bad("the client key is not an unencrypted PEM private key");
  return key;
}

std::string Describe(const SSL* ssl) {
  const long result = SSL_get_verify_result(ssl);
  const bool named = result != X509_V_OK && result != X509_V_ERR_UNSPECIFIED;
  if (named) return X509_verify_cert_error_string(result);
  // The chain is fine, so it was the host name check, which gives OpenSSL no reason.
  return "the server's certificate is not for this host name";
}

int MaterialIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

void ObserveHandshake(const SSL* ssl, int where, int value) {
  if ((where & SSL_CB_ALERT) == 0 || (value >> 8) != SSL3_AL_FATAL) return;
  auto* material =
      static_cast<TlsMaterial*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), MaterialIndex()));
  if (material == nullptr) return;
  if ((where & SSL_CB_WRITE) != 0) {
    material->SetProblem(Describe(ssl));
  } else {
    material->SetProblem(std::string("the server answered: ") + SSL_alert_desc_string_long(value));
  }
}

}  // namespace

struct TlsMaterial::Parsed {
  std::vector<Certificate> trusted;  // empty: the system's
  std::vector<Certificate> chain;    // client certificate first; empty: none
  Key key;
};

TlsMaterial::TlsMaterial(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
TlsMaterial::~TlsMaterial() = default;

Expected<std::shared_ptr<TlsMaterial>> TlsMaterial::Parse(const Endpoint& endpoint) {
  auto parsed = std::make_unique<Parsed>();
  if (!endpoint.ca_pem.empty()) {
    auto trusted = ParseCertificates(endpoint.ca_pem, "the certificate authority");
    if (!trusted) return tl::unexpected(trusted.error());
    parsed->trusted = std::move(*trusted);
  }
  if (endpoint.client_cert_pem.empty() != endpoint.client_key_pem.empty()) {
    return Bad("a client certificate needs its key, and a client key its certificate");
  }
  if (!endpoint.client_cert_pem.empty()) {
    auto chain = ParseCertificates(endpoint.client_cert_pem, "the client certificate");
    if (!chain) return tl::unexpected(chain.error());
    auto key = ParseKey(endpoint.client_key_pem);
    if (!key) return tl::unexpected(key.error());
    if (X509_check_private_key(chain->front().get(), key->get()) != 1) {
      return Bad("the client key does not belong to the client certificate");
    }
    parsed->chain = std::move(*chain);
    parsed->key = std::move(*key);
  }
  return std::shared_ptr<TlsMaterial>(new TlsMaterial(std::move(parsed)));
}

bool TlsMaterial::Apply(ssl_ctx_st* context) {
  bool ok = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
  ok = ok && SSL_CTX_set_ex_data(context, MaterialIndex(), this) == 1;
  SSL_CTX_set_info_callback(context, ObserveHandshake);
  if (!parsed_->trusted.empty()) {
    Store store(X509_STORE_new());
    ok = ok && store && X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN) == 1;
    for (const auto& certificate : parsed_->trusted) {
      ok = ok && X509_STORE_add_cert(store.get(), certificate.get()) == 1;
    }
    if (ok) SSL_CTX_set_cert_store(context, store.release());
  }
  if (!parsed_->chain.empty()) {
    ok = ok && SSL_CTX_use_certificate(context, parsed_->chain.front().get()) == 1;
    for (std::size_t i = 1; ok && i < parsed_->chain.size(); ++i) {
      ok = SSL_CTX_add1_chain_cert(context, parsed_->chain[i].get()) == 1;
    }
    ok = ok && SSL_CTX_use_PrivateKey(context, parsed_->key.get()) == 1;
  }
  ERR_clear_error();
  return ok;
}

std::string TlsMaterial::TakeProblem() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problem_, {});
}

void TlsMaterial::SetProblem(std::string problem) {
  const std::lock_guard lock(mutex_);
  problem_ = std::move(problem);
}

}  // namespace torchsoak::http
