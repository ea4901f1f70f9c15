// Modules and launches: the bytes that reach the driver, and the launches that do not.
#include <cstring>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/fixture.hpp"

namespace lanza::cuda_backend {
namespace {

using backend::Launch;
using testing::ElementsAre;
using testing::HasSubstr;

class KernelTest : public OnFakeDriver {
 protected:
  void TearDown() override {
    kernel.reset();
    module.reset();
    context.reset();
    OnFakeDriver::TearDown();
  }
  void launch(const Launch& l) { kernel->launch(context->default_stream(), l); }
  std::string refused(const Launch& l) {
    fake.clear_log();
    const std::string text = message_of<InvalidArgument>([&] { launch(l); });
    EXPECT_EQ(fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx"), 0);
    return text;
  }

  std::shared_ptr<backend::Context> context = device().primary_context();
  std::unique_ptr<backend::Module> module = context->load(code("duplicar otro variable"), true);
  std::unique_ptr<backend::Kernel> kernel = module->kernel(kernel_info("duplicar"));
};

TEST_F(KernelTest, ArgumentsArriveAsPacked) {
  alignas(16) unsigned char block[12] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xAA, 0xBB, 0xCC, 0xDD};
  fake.clear_log();
  launch({.grid = {3, 2, 1}, .block = {4, 4, 1}, .shared = 128, .arguments = block, .argument_bytes = sizeof block});
  const auto lines = calls();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("cuLaunchKernel(duplicar, grid 3 2 1, block 4 4 1, shared 128, stream#"));
  EXPECT_THAT(lines[0], HasSubstr("12 bytes 1122334455667788aabbccdd)"));
}

TEST_F(KernelTest, NoArgumentsIsNoBlock) {
  fake.clear_log();
  launch({.grid = 1, .block = 1});
  EXPECT_THAT(calls()[0], HasSubstr("0 bytes )"));
}

TEST_F(KernelTest, ABodySeesTheArguments) {
  struct Seen {
    int value = 0;
    unsigned grid = 0;
  } seen;
  fake.on_launch(
      "duplicar",
      [](const void* arguments, size_t, const unsigned* grid, const unsigned*, void* user) {
        std::memcpy(&static_cast<Seen*>(user)->value, arguments, 4);
        static_cast<Seen*>(user)->grid = grid[0];
      },
      &seen);
  alignas(16) const int argument = 42;
  launch({.grid = 7, .block = 1, .arguments = &argument, .argument_bytes = 4});
  EXPECT_EQ(seen.value, 42);
  EXPECT_EQ(seen.grid, 7u);
}

TEST_F(KernelTest, LimitsAreCheckedBeforeTheDriver) {
  EXPECT_THAT(refused({.grid = 1, .block = {1025, 1, 1}}),
              HasSubstr("duplicar: block 1025x1x1 has 1025 threads; this kernel can run with at most 1024"));
  EXPECT_THAT(refused({.grid = 1, .block = {1, 1, 65}}),
              HasSubstr("block 1x1x65 is over the device's limit of 1024x1024x64"));
  EXPECT_THAT(refused({.grid = 1, .block = {64, 64, 1}}),
              HasSubstr("has 4096 threads; this kernel can run with at most 1024"));
  EXPECT_THAT(refused({.grid = 1, .block = {1, 0, 1}}), HasSubstr("block 1x0x1 has a zero"));
  EXPECT_THAT(refused({.grid = {0, 1, 1}, .block = 1}), HasSubstr("grid 0x1x1 has a zero"));
  EXPECT_THAT(refused({.grid = {1, 65536, 1}, .block = 1}), HasSubstr("grid 1x65536x1 is over the device's limit"));
  EXPECT_THAT(refused({.grid = 1, .block = 1, .shared = 232449}),
              HasSubstr("232449 bytes of dynamic shared memory are over the limit of 232448"));
}

TEST_F(KernelTest, MuchSharedMemoryIsAllowedOnce) {
  fake.clear_log();
  launch({.grid = 1, .block = 1, .shared = 100000});
  launch({.grid = 1, .block = 1, .shared = 200000});
  EXPECT_THAT(routines(), ElementsAre("cuFuncSetAttribute", "cuLaunchKernel", "cuLaunchKernel"));
}

TEST_F(KernelTest, CooperativeGridsMustBeResident) {
  fake.clear_log();
  launch({.grid = 264, .block = 1024, .cooperative = true});
  EXPECT_THAT(routines(), ElementsAre("cuLaunchKernelEx"));
  EXPECT_THAT(refused({.grid = 265, .block = 1024, .cooperative = true}),
              HasSubstr("a cooperative grid of 265 blocks does not fit: at most 264"));
}

TEST_F(KernelTest, ARefusedLaunchIsALaunchError) {
  fake.fail("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  try {
    launch({.grid = 2, .block = 1024});
    ADD_FAILURE();
  } catch (const LaunchError& e) {
    EXPECT_EQ(e.kernel(), "duplicar");
    EXPECT_THAT(e.what(),
                HasSubstr("cuLaunchKernel(duplicar, grid 2x1x1, block 1024x1x1, 0 bytes of shared memory) failed"));
  }
  EXPECT_NO_THROW(launch({.grid = 1, .block = 1}));
}

TEST_F(KernelTest, AFaultNamesTheKernelsInFlight) {
  const auto other = module->kernel(kernel_info("otro"));
  const auto side = context->make_stream(0, false);
  launch({.grid = 1, .block = 1});
  context->default_stream().synchronize();  // duplicar is done
  other->launch(*side, {.grid = 1, .block = 1});
  fake.fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  try {
    context->default_stream().synchronize();
    ADD_FAILURE();
  } catch (const LaunchError& e) {
    EXPECT_EQ(e.kernel(), "otro");
  }
  launch({.grid = 1, .block = 1});
  fake.fail("cuCtxSynchronize", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(message_of<LaunchError>([&] { context->synchronize(); }),
              HasSubstr("one of the kernels duplicar, otro failed"));
}

TEST_F(KernelTest, UnknownNamesAreNotFound) {
  EXPECT_THAT(message_of<NotFound>([&] { module->kernel(kernel_info("ninguno")); }), HasSubstr("no kernel ninguno"));
  EXPECT_THROW(module->variable({.symbol = "nada", .name = "nada"}), NotFound);
  const backend::Memory m = module->variable({.symbol = "variable", .name = "variable"});
  EXPECT_NE(m.address, 0u);
  EXPECT_EQ(m.size, 256u);
}

TEST_F(KernelTest, TheDriversParameterListMustAgree) {
  backend::KernelInfo info{.symbol = "otro", .name = "otro"};
  info.signature.parameters = {{.type = "float*", .offset = 0, .size = 8}, {.type = "int", .offset = 8, .size = 4}};
  info.signature.bytes = 12;
  EXPECT_NO_THROW(module->kernel(info));  // the fake does not know
  const std::size_t offsets[] = {0, 8}, sizes[] = {8, 4}, wrong[] = {8, 8};
  fake.set_parameters("otro", offsets, sizes, 2);
  EXPECT_NO_THROW(module->kernel(info));
  fake.set_parameters("otro", offsets, wrong, 2);
  EXPECT_THAT(message_of<Error>([&] { module->kernel(info); }),
              HasSubstr("differs from the compiled signature at parameter 2 (driver: 8 bytes at 8)"));
  fake.set_parameters("otro", offsets, sizes, 1);
  EXPECT_THAT(message_of<Error>([&] { module->kernel(info); }), HasSubstr("no such parameter"));
}

TEST_F(KernelTest, Attributes) {
  const auto attributes = kernel->attributes();
  EXPECT_EQ(attributes.size(), 16u);
  EXPECT_THAT(attributes, testing::Contains(std::pair<std::string, std::int64_t>("num_regs", 16)));
}

TEST_F(KernelTest, ImagesByKind) {
  EXPECT_THAT(module->image("ptx"), HasSubstr("duplicar"));
  EXPECT_THAT(message_of<NotFound>([&] { module->image("cubin"); }), HasSubstr("it has: ptx"));
  const auto both = context->load({.kind = "cubin", .image = "// code", .data = "// the ptx"}, true);
  EXPECT_EQ(both->image("ptx"), "// the ptx");
  EXPECT_THROW(context->load({.kind = "bitcode", .image = "BC"}, true), InvalidArgument);
}

TEST_F(KernelTest, ImagesThatCannotBeLoaded) {
  fake.fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX);
  EXPECT_THROW(context->load(code("x"), true), CompileError);
  fake.fail("cuModuleLoadDataEx", CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(message_of<DriverError>([&] { context->load(code("x"), true); }),
              HasSubstr("nothing for this device's architecture"));
  fake.fail("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THROW(context->load(code("x"), true), OutOfMemory);
}

TEST_F(KernelTest, AThrowAtEveryDriverCallLeavesNothing) {
  const backend::Pointer first = context->allocate(64, context->default_stream());
  context->copy(first, reinterpret_cast<backend::Pointer>(&first), 8, backend::Direction::HostToDevice,
                context->default_stream());  // what a stream keeps for its copies is made now
  context->release(first, 64, context->default_stream());
  for (const char* routine :
       {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuMemAllocFromPoolAsync",
        "cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"}) {
    const int before = fake.live(nullptr);
    fake.fail(routine, CUDA_ERROR_UNKNOWN);
    bool threw = false;
    backend::Stream& stream = context->default_stream();
    backend::Pointer p = 0;
    try {
      const auto m = context->load(code("duplicar"), true);
      const auto k = m->kernel(kernel_info("duplicar"));
      p = context->allocate(64, stream);
      char host[64] = {};
      context->copy(p, reinterpret_cast<backend::Pointer>(host), 64, backend::Direction::HostToDevice, stream);
      k->launch(stream, {.grid = 1, .block = 1});
      context->copy(reinterpret_cast<backend::Pointer>(host), p, 64, backend::Direction::DeviceToHost, stream);
      stream.synchronize();
    } catch (const Error&) {
      threw = true;
    }
    if (p) context->release(p, 64, stream);
    EXPECT_TRUE(threw) << routine;
    EXPECT_EQ(fake.live(nullptr), before) << routine;
  }
}

}  // namespace
}  // namespace lanza::cuda_backend
