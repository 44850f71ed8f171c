# torchsoak_embed(VAR FILE OUT): OUT becomes a C++ source that defines
#   extern const char VAR[]; extern const unsigned long VAR_size;
# with the bytes of FILE, in namespace torchsoak::embedded. Re-made when FILE changes.
function(torchsoak_embed var file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  # String literals have a length limit; adjacent ones are joined by the compiler.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f]){64})" "\\1\"\n\"" bytes "${bytes}")
  file(GENERATE OUTPUT "${out}" CONTENT
"// Made from ${file} by cmake/Embed.cmake.
namespace torchsoak::embedded {
extern const char ${var}[];
extern const unsigned long ${var}_size;
const char ${var}[] = \"${bytes}\";
const unsigned long ${var}_size = ${size};
}  // namespace torchsoak::embedded
")
endfunction()
