#include "tests/unit/operator/http/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <stdexcept>

namespace torchsoak::http {
namespace {

constexpr long kDay = 24L * 3600;

X509* ReadCertificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* out = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  if (out == nullptr) throw std::runtime_error("certificate");
  return out;
}

EVP_PKEY* ReadKey(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* out = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  if (out == nullptr) throw std::runtime_error("key");
  return out;
}

std::string Take(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  if (extension == nullptr) throw std::runtime_error("extension " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string AlternativeNames(const CertificateSpec& spec) {
  std::string names;
  for (const auto& dns : spec.dns) names += (names.empty() ? "DNS:" : ",DNS:") + dns;
  for (const auto& ip : spec.ips) names += (names.empty() ? "IP:" : ",IP:") + ip;
  return names;
}

}  // namespace

Pair MakeCertificate(const CertificateSpec& spec, const Pair* issuer) {
  static std::atomic<long> serial{1};
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), spec.expired ? -kDay : kDay);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(spec.name.c_str()), -1, -1, 0);
  AddExtension(certificate, NID_basic_constraints, spec.ca ? "critical,CA:TRUE" : "CA:FALSE");
  const std::string names = AlternativeNames(spec);
  if (!names.empty()) AddExtension(certificate, NID_subject_alt_name, names);
  if (issuer == nullptr) {
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
  } else {
    X509* parent = ReadCertificate(issuer->certificate);
    EVP_PKEY* parent_key = ReadKey(issuer->key);
    X509_set_issuer_name(certificate, X509_get_subject_name(parent));
    X509_sign(certificate, parent_key, EVP_sha256());
    EVP_PKEY_free(parent_key);
    X509_free(parent);
  }
  BIO* certificate_pem = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_pem, certificate);
  BIO* key_pem = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(key_pem, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {Take(certificate_pem), Take(key_pem)};
}

void UsePair(ssl_ctx_st* context, const Pair& pair) {
  X509* certificate = ReadCertificate(pair.certificate);
  EVP_PKEY* key = ReadKey(pair.key);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

void TrustPem(ssl_ctx_st* context, const std::string& pem) {
  X509* certificate = ReadCertificate(pem);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
  X509_free(certificate);
}

}  // namespace torchsoak::http
