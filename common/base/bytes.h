#pragma once
// Bytes as text: base64, SHA-256, CRC-32, gzip. Thin faces on OpenSSL and zlib.

#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak {

std::string Base64Encode(std::string_view bytes);

/// kDataLoss for anything that Base64Encode could not have written.
Expected<std::string> Base64Decode(std::string_view text);

/// Lower-case hexadecimal, 64 characters.
std::string Sha256Hex(std::string_view bytes);

/// CRC-32 as in gzip and zlib: 8 lower-case hexadecimal digits.
std::string Crc32Hex(std::string_view bytes);

/// gzip with a zero time stamp: equal input gives equal bytes.
std::string Gzip(std::string_view bytes);

/// kDataLoss when damaged or cut; kTooLarge when it would unpack to more than `max_bytes`.
Expected<std::string> Gunzip(std::string_view gz, std::size_t max_bytes);

}  // namespace torchsoak
