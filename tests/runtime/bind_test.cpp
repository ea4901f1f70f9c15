// The binder by itself: which argument fits which parameter, and the bytes that come of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <complex>
#include <cstring>
#include <limits>

#include "runtime/bind.hpp"
#include "runtime/fake_backend.hpp"
#include "runtime/records.hpp"

namespace lanza::detail {
namespace {

class BindTest : public testing::Test {
 protected:
  /// Binds one argument to one parameter; the bytes are in block_.
  Mismatch bind_one(const Parameter& p, const Argument& a) {
    Parameter placed = p;
    placed.offset = 0;
    Signature signature;
    signature.parameters = {placed};
    signature.bytes = p.size;
    const Plan plan(signature);
    ContextRecord& context = *context_.shared();
    Binding binding{context, context.default_stream, block_, sizes_only_};
    return bind(plan.parameters[0], a, binding);
  }
  template <class T>
  Mismatch bind_value(DType to, T value) {
    return bind_one(fake::scalar("x", to), Argument::scalar(&value, sizeof value, dtype_of<T>()));
  }
  template <class T>
  Mismatch bind_weak(DType to, T value, unsigned flags = 0) {
    return bind_one(fake::scalar("x", to), Argument::scalar(&value, sizeof value, dtype_of<T>(),
                                                            static_cast<std::uint8_t>(Argument::Weak | flags)));
  }
  template <class T>
  T bytes() {
    T value;
    std::memcpy(&value, block_, sizeof value);
    return value;
  }

  fake::Scope scope_;
  Context context_ = Device("cuda").context();
  alignas(16) std::byte block_[64]{};
  bool sizes_only_ = false;
};

TEST_F(BindTest, IntegersConvertWithARangeCheck) {
  EXPECT_EQ(bind_value(DType::Int32, std::int64_t{-5}), Mismatch::None);
  EXPECT_EQ(bytes<std::int32_t>(), -5);
  EXPECT_EQ(bind_value(DType::Int32, std::int64_t{1} << 31), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::UInt32, -1), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::UInt64, std::numeric_limits<std::int64_t>::max()), Mismatch::None);
  EXPECT_EQ(bind_value(DType::Int64, std::numeric_limits<std::uint64_t>::max()), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::UInt8, 255), Mismatch::None);
  EXPECT_EQ(bytes<std::uint8_t>(), 255);
  EXPECT_EQ(bind_value(DType::UInt8, 256), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::Int8, -129), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::Bool, 1), Mismatch::None);
  EXPECT_EQ(bind_value(DType::Bool, 2), Mismatch::Range);
  EXPECT_EQ(bind_value(DType::Int32, true), Mismatch::None);
  EXPECT_EQ(bytes<std::int32_t>(), 1);
}

TEST_F(BindTest, IntegersReachFloatingPoint) {
  EXPECT_EQ(bind_value(DType::Float32, 7), Mismatch::None);
  EXPECT_EQ(bytes<float>(), 7.0F);
  EXPECT_EQ(bind_value(DType::Float64, std::uint64_t{1} << 63), Mismatch::None);
  EXPECT_EQ(bytes<double>(), 9223372036854775808.0);
}

TEST_F(BindTest, FloatingPointStaysOrWidens) {
  EXPECT_EQ(bind_value(DType::Float64, 2.5F), Mismatch::None);
  EXPECT_EQ(bytes<double>(), 2.5);
  EXPECT_EQ(bind_value(DType::Float32, 2.5), Mismatch::Type);
  EXPECT_EQ(bind_value(DType::Int32, 2.0), Mismatch::Type);
  EXPECT_EQ(bind_value(DType::Int64, 2.0F), Mismatch::Type);
}

TEST_F(BindTest, NumbersOfPythonTakeOnTheType) {
  EXPECT_EQ(bind_weak(DType::Float32, 2.5), Mismatch::None);
  EXPECT_EQ(bytes<float>(), 2.5F);
  EXPECT_EQ(bind_weak(DType::Float64, 2.5), Mismatch::None);
  EXPECT_EQ(bind_weak(DType::Float32, 1e300), Mismatch::Range);
  EXPECT_EQ(bind_weak(DType::Float32, std::numeric_limits<double>::infinity()), Mismatch::None);
  EXPECT_EQ(bind_weak(DType::Int32, 2.0), Mismatch::Type);
  EXPECT_EQ(bind_weak(DType::UInt64, std::numeric_limits<std::uint64_t>::max()), Mismatch::None);
  EXPECT_EQ(bind_weak(DType::Int64, std::int64_t{0}, Argument::TooLarge), Mismatch::Range);
  EXPECT_EQ(bind_weak(DType::Float32, std::int64_t{0}, Argument::TooLarge), Mismatch::Range);
}

TEST_F(BindTest, ScalarsOfOtherKindsDoNotFit) {
  EXPECT_EQ(bind_value(DType::Float32, std::complex<float>(1, 2)), Mismatch::Type);
  EXPECT_EQ(bind_one(fake::scalar("x", DType::Int32), Argument::null()), Mismatch::Type);
  const int object = 3;
  EXPECT_EQ(bind_one(fake::scalar("x", DType::Int32), Argument::object(&object, 4, 4)), Mismatch::Type);
}

TEST_F(BindTest, RecordsBySize) {
  const float point[3] = {1, 2, 3};
  EXPECT_EQ(bind_one(fake::record("p", "Point", 12), Argument::object(point, 12, 4)), Mismatch::None);
  EXPECT_EQ(std::memcmp(block_, point, 12), 0);
  EXPECT_EQ(bind_one(fake::record("p", "Point", 16), Argument::object(point, 12, 4)), Mismatch::Type);
  EXPECT_EQ(bind_one(fake::record("p", "Point", 4), Argument::scalar(point, 4, DType::Float32)), Mismatch::Type);
  const std::complex<float> z(1, 2);
  EXPECT_EQ(bind_one(fake::record("z", "float2", 8), Argument::scalar(&z, 8, DType::Complex64)), Mismatch::None);
  EXPECT_EQ(bytes<std::complex<float>>(), z);
}

TEST_F(BindTest, PointersNeedTheElementType) {
  float data[4];
  const auto host = [&](DType type, std::size_t size) {
    return Argument::host(data, sizeof data, type, size, Argument::Mode::In, true);
  };
  const Parameter floats = fake::pointer("x", DType::Float32);
  EXPECT_EQ(bind_one(floats, host(DType::Float32, 4)), Mismatch::None);
  EXPECT_EQ(bind_one(floats, host(DType::Int32, 4)), Mismatch::Type);
  EXPECT_EQ(bind_one(floats, host(DType::Opaque, 1)), Mismatch::None);
  EXPECT_EQ(bind_one(floats, host(DType::Record, 4)), Mismatch::Type);
  EXPECT_EQ(bind_one(fake::pointer("x", DType::UInt8), host(DType::Float32, 4)), Mismatch::None);
  EXPECT_EQ(bind_one(fake::pointer("x", "void", DType::Opaque, false, 0), host(DType::Float64, 8)), Mismatch::None);
}

TEST_F(BindTest, ComplexAndRecordsByItemSize) {
  float data[4];
  const auto host = [&](DType type, std::size_t size) {
    return Argument::host(data, sizeof data, type, size, Argument::Mode::In, true);
  };
  const Parameter float2 = fake::pointer("x", "float2", DType::Complex64, false, 8);
  EXPECT_EQ(bind_one(float2, host(DType::Complex64, 8)), Mismatch::None);
  EXPECT_EQ(bind_one(float2, host(DType::Record, 8)), Mismatch::None);
  EXPECT_EQ(bind_one(float2, host(DType::Record, 12)), Mismatch::Type);
  EXPECT_EQ(bind_one(float2, host(DType::Float32, 4)), Mismatch::Type);
  const Parameter points = fake::pointer("x", "Point", DType::Record, false, 12);
  EXPECT_EQ(bind_one(points, host(DType::Record, 12)), Mismatch::None);
  EXPECT_EQ(bind_one(points, host(DType::Record, 8)), Mismatch::Type);
  EXPECT_EQ(bind_one(fake::pointer("x", "Incomplete", DType::Record, false, 0), host(DType::Float32, 4)),
            Mismatch::None);
}

TEST_F(BindTest, StridedArraysNeverFit) {
  float data[4] = {};
  Argument a = Argument::host(data, sizeof data, DType::Float32, 4, Argument::Mode::In, true);
  a.flags |= Argument::Strided;
  EXPECT_EQ(bind_one(fake::pointer("x", DType::Float32), a), Mismatch::Strided);
}

TEST_F(BindTest, ForeignMemoryIsCheckedByDevice) {
  const Parameter floats = fake::pointer("x", DType::Float32);
  const auto on = [](const char* device) {
    return Argument::foreign(64, 16, DType::Float32, 4, &Device(device).record());
  };
  EXPECT_EQ(bind_one(floats, on("cuda:0")), Mismatch::None);
  EXPECT_EQ(bytes<std::uintptr_t>(), 64u);
  EXPECT_EQ(bind_one(floats, on("cuda:1")), Mismatch::OtherMemory);
  EXPECT_EQ(bind_one(floats, on("cpu")), Mismatch::OtherMemory);
}

TEST_F(BindTest, UnknownTypesGoBySize) {
  Parameter p;
  p.size = 4;
  EXPECT_EQ(bind_one(p, Argument::scalar("abcd", 4, DType::Float32)), Mismatch::None);
  const std::int64_t n = 4'000'000'000;
  EXPECT_EQ(bind_one(p, Argument::scalar(&n, 8, DType::Int64)), Mismatch::None);
  EXPECT_EQ(bytes<std::uint32_t>(), 4'000'000'000U);
  const std::int64_t huge = n * 4;
  EXPECT_EQ(bind_one(p, Argument::scalar(&huge, 8, DType::Int64)), Mismatch::Range);
  EXPECT_EQ(bind_one(p, Argument::scalar("abcdefgh", 8, DType::Float64)), Mismatch::Type);
  EXPECT_EQ(bind_one(p, Argument::null()), Mismatch::Type);
  p.size = 8;
  EXPECT_EQ(bind_one(p, Argument::null()), Mismatch::None);
}

TEST_F(BindTest, SizesOnlyLetsProgramsReinterpretMemory) {
  sizes_only_ = true;
  float data[4];
  const Parameter floats = fake::pointer("x", DType::Float32, true);
  EXPECT_EQ(bind_one(floats, Argument::host(data, 16, DType::Int32, 4, Argument::Mode::Out, true)), Mismatch::None);
  EXPECT_EQ(bind_one(floats, Argument::host(data, 16, DType::Float64, 8, Argument::Mode::In, true)), Mismatch::Type);
  const std::int64_t address = 4096;
  EXPECT_EQ(bind_one(floats, Argument::scalar(&address, 8, DType::Int64)), Mismatch::None);
  EXPECT_EQ(bytes<std::int64_t>(), address);
  sizes_only_ = false;
  EXPECT_EQ(bind_one(floats, Argument::scalar(&address, 8, DType::Int64)), Mismatch::Type);
}

}  // namespace
}  // namespace lanza::detail
