// Signatures as text.
#include <gtest/gtest.h>

#include <lanza/signature.hpp>

namespace lanza {
namespace {

TEST(Signature, reads_like_the_declaration) {
  Signature s;
  s.parameters = {
      {.name = "dest", .type = "float*"}, {.name = "a", .type = "const float*"}, {.name = "", .type = "int"}};
  EXPECT_EQ(to_string("multiplicar", s), "multiplicar(float* dest, const float* a, int)");
  EXPECT_EQ(to_string("nada", Signature{}), "nada()");
}

TEST(Signature, says_what_it_does_not_know) {
  Signature sized;
  sized.parameters = {{.size = 8}, {.size = 4}};
  EXPECT_EQ(to_string("k", sized), "k(<8 bytes>, <4 bytes>)");
  Signature unknown;
  unknown.known = false;
  EXPECT_EQ(to_string("k", unknown), "k(...)");
}

}  // namespace
}  // namespace lanza
