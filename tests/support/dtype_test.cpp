// Element types: sizes, names, and names back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/dtype.hpp>
#include <lanza/error.hpp>

namespace lanza {
namespace {

TEST(DType, names_lead_back_to_the_type) {
  for (int i = 0; i <= static_cast<int>(DType::Record); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype) << name_of(dtype);
    EXPECT_FALSE(cuda_name_of(dtype).empty());
  }
}

TEST(DType, sizes_are_those_of_the_cpp_types) {
  EXPECT_EQ(size_of(dtype_of<bool>()), sizeof(bool));
  EXPECT_EQ(size_of(dtype_of<short>()), sizeof(short));
  EXPECT_EQ(size_of(dtype_of<long>()), sizeof(long));
  EXPECT_EQ(size_of(dtype_of<float>()), sizeof(float));
  EXPECT_EQ(size_of(dtype_of<double>()), sizeof(double));
  EXPECT_EQ(size_of(dtype_of<std::complex<double>>()), sizeof(std::complex<double>));
  EXPECT_EQ(size_of(DType::Float16), 2u);
  EXPECT_EQ(size_of(DType::Opaque), 0u);
  EXPECT_EQ(size_of(DType::Record), 0u);
}

TEST(DType, of_cpp_types) {
  enum class Colour : std::uint8_t {};
  struct Point {
    float x, y;
  };
  static_assert(dtype_of<const long long>() == DType::Int64 && dtype_of<long>() == DType::Int64);
  static_assert(dtype_of<unsigned char>() == DType::UInt8 && dtype_of<std::byte>() == DType::Opaque);
  static_assert(dtype_of<Colour>() == DType::UInt8 && dtype_of<Point>() == DType::Record &&
                dtype_of<void>() == DType::Opaque);
  EXPECT_EQ(name_of(dtype_of<float>()), "float32");
}

TEST(DType, takes_numpy_type_strings) {
  EXPECT_EQ(dtype_from_name("<f4"), DType::Float32);
  EXPECT_EQ(dtype_from_name("|u1"), DType::UInt8);
  EXPECT_EQ(dtype_from_name("=i8"), DType::Int64);
  EXPECT_EQ(dtype_from_name("c16"), DType::Complex128);
  EXPECT_EQ(dtype_from_name("|b1"), DType::Bool);
  EXPECT_EQ(dtype_from_name(">u1"), DType::UInt8);
  EXPECT_EQ(dtype_from_name("|V12"), DType::Record);
}

TEST(DType, refuses_what_it_does_not_know_and_says_what_it_expects) {
  using testing::HasSubstr;
  using testing::ThrowsMessage;
  EXPECT_THAT([] { dtype_from_name("float31"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("'float31'; expected bool")));
  EXPECT_THAT([] { dtype_from_name(">f4"); }, ThrowsMessage<InvalidArgument>(HasSubstr("big-endian")));
  for (const char* name : {"", "<", "f", "f44", "<<f4", "float32 ", "V"})
    EXPECT_THROW(dtype_from_name(name), InvalidArgument) << name;
}

TEST(DType, a_value_out_of_range_is_opaque) { EXPECT_EQ(name_of(static_cast<DType>(200)), "void"); }

}  // namespace
}  // namespace lanza
