#include "common/base/bytes.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory>

namespace torchsoak {
namespace {

// OpenSSL's block functions count in int: feed them pieces. A multiple of 3 and of 4.
constexpr std::size_t kPiece = std::size_t{12} << 20U;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, gzip framing
constexpr std::string_view kHex = "0123456789abcdef";

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

tl::unexpected<Error> BadBase64() { return Fail(ErrorCode::kDataLoss, "damaged base64 text"); }

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::string_view piece = bytes.substr(at, kPiece);
    std::string text((piece.size() + 2) / 3 * 4 + 1, '\0');  // room for OpenSSL's final NUL
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), Bytes(piece),
                                       static_cast<int>(piece.size()));
    out.append(text, 0, static_cast<std::size_t>(length));
  }
  return out;
}

Expected<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return BadBase64();
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    const std::string_view piece = text.substr(at, kPiece);
    std::string bytes(piece.size() / 4 * 3, '\0');
    const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), Bytes(piece),
                                       static_cast<int>(piece.size()));
    if (length != static_cast<int>(bytes.size())) return BadBase64();
    out += bytes;
  }
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  out.resize(out.size() - padding);
  // EVP_DecodeBlock skips blanks and takes padding anywhere: only what we could have written is
  // good.
  if (Base64Encode(out) != text) return BadBase64();
  return out;
}

std::string Sha256Hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned int i = 0; i < length; ++i) {
    out += kHex[digest[i] >> 4U];
    out += kHex[digest[i] & 15U];
  }
  return out;
}

std::string Crc32Hex(std::string_view bytes) {
  auto crc = static_cast<std::uint32_t>(crc32_z(0, Bytes(bytes), bytes.size()));
  std::string out(8, '0');
  for (std::size_t i = out.size(); i-- > 0; crc >>= 4U) out[i] = kHex[crc & 15U];
  return out;
}

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  [[maybe_unused]] int rc =
      deflateInit2(&stream, 9, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  assert(rc == Z_OK);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);
  std::string out;
  std::array<char, 65536> buffer{};
  do {
    if (stream.avail_in == 0) {  // zlib counts in 32 bits
      const std::string_view piece = bytes.substr(0, kPiece);
      stream.next_in = const_cast<unsigned char*>(Bytes(piece));
      stream.avail_in = static_cast<unsigned int>(piece.size());
      bytes.remove_prefix(piece.size());
    }
    stream.next_out = reinterpret_cast<unsigned char*>(buffer.data());
    stream.avail_out = buffer.size();
    rc = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  } while (rc == Z_OK);
  return out;
}

Expected<std::string> Gunzip(std::string_view gz, std::size_t max_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return Fail(ErrorCode::kInternal, "zlib");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::string out;
  std::array<char, 65536> buffer{};
  int rc = Z_OK;
  while (rc == Z_OK) {
    if (stream.avail_in == 0) {
      const std::string_view piece = gz.substr(0, kPiece);
      stream.next_in = const_cast<unsigned char*>(Bytes(piece));
      stream.avail_in = static_cast<unsigned int>(piece.size());
      gz.remove_prefix(piece.size());
    }
    stream.next_out = reinterpret_cast<unsigned char*>(buffer.data());
    stream.avail_out = buffer.size();
    rc = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR when the input ends early
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (out.size() > max_bytes) {
      return Fail(ErrorCode::kTooLarge,
                  "unpacks to more than " + std::to_string(max_bytes) + " bytes");
    }
  }
  if (rc != Z_STREAM_END) return Fail(ErrorCode::kDataLoss, "damaged or cut gzip data");
  if (stream.avail_in != 0 || !gz.empty()) {
    return Fail(ErrorCode::kDataLoss, "gzip data with something behind its end");
  }
  return out;
}

}  // namespace torchsoak
