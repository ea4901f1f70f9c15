// Compiled kernels: from the disk cache without the plug-in, from memory, and what is no kernel.
#include "backend/cpu/object_store.hpp"

#include <filesystem>
#include <vector>

#include "compiler/loader.hpp"
#include "executor_fixture.hpp"
#include "support/disk_cache.hpp"
#include "support/file.hpp"

namespace lanza::testing {
namespace {

using executor::KernelObject;

class ObjectStore : public ExecutorTest {
 protected:
  static std::string sample() { return read_file_or_throw(LANZA_SAMPLE_KERNEL); }

  // A module of its own every time, so that no test finds what another has left.
  backend::Code code() {
    backend::Code made;
    made.kind = "bitcode";
    made.image = "not really bitcode: " + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name());
    return made;
  }
  static backend::KernelInfo info() {
    backend::KernelInfo made;
    made.symbol = "_Z1kPm";
    made.name = "k";
    made.signature.bytes = 8;
    return made;
  }
  static Hash128 key(const backend::Code& c, const std::uint32_t (&block)[3]) {
    return executor::object_key({c.image, hash128(c.image), "_Z1kPm", "k", executor::CodeSettings::from_environment()},
                                block);
  }
  void launch(backend::Kernel& kernel, std::vector<std::uint64_t>& out) {
    const std::tuple<std::uint64_t*> arguments(out.data());
    kernel.launch(stream, launch_of(static_cast<unsigned>(out.size()), 32, arguments));
    stream.synchronize();
  }
  const std::vector<std::uint64_t> expected{1, 2, 3, 4, 5};
};

TEST_F(ObjectStore, AHitOnDiskNeverLoadsThePlugIn) {
  if (compiler::loaded()) GTEST_SKIP() << "another test of this process has loaded the plug-in";
  const auto c = code();
  ASSERT_TRUE(DiskCache::process_wide().put(key(c, {0, 0, 0}), "so", sample()));
  auto module = context->load(c, true);
  auto kernel = module->kernel(info());
  std::vector<std::uint64_t> out(5);
  launch(*kernel, out);
  EXPECT_EQ(out, expected);
  EXPECT_TRUE(kernel->cached());
  EXPECT_EQ(kernel->compile_seconds(), 0);
  EXPECT_FALSE(compiler::loaded());
  EXPECT_EQ(kernel->report(), R"({"engine": "sample"})");
  EXPECT_EQ(module->image("object").substr(0, sample().size()), sample());
}

TEST_F(ObjectStore, ASecondModuleSharesTheLoadedCode) {
  const auto c = code();
  ASSERT_TRUE(DiskCache::process_wide().put(key(c, {32, 1, 1}), "so", sample()));
  auto first = context->load(c, true);
  auto kernel = first->kernel(info());
  std::vector<std::uint64_t> out(5);
  launch(*kernel, out);
  auto other_context = device().create_context();
  auto second = other_context->load(c, true);
  auto again = second->kernel(info());
  std::vector<std::uint64_t> other(5);
  launch(*again, other);
  EXPECT_EQ(other, expected);
  const auto object_of = [](backend::Kernel& k) { return static_cast<executor::Kernel&>(k).share()->objects().at(0); };
  EXPECT_EQ(object_of(*kernel), object_of(*again));
}

TEST_F(ObjectStore, EveryPartOfTheKeyChangesIt) {
  const auto c = code();
  auto settings = executor::CodeSettings::from_environment();
  const std::uint32_t block[3] = {32, 1, 1}, other_block[3] = {1, 32, 1};
  executor::KernelSource source{c.image, hash128(c.image), "_Z1kPm", "k", settings};
  const auto base = executor::object_key(source, block);
  EXPECT_EQ(executor::object_key(source, block), base);
  EXPECT_NE(executor::object_key(source, other_block), base);
  auto changed = source;
  changed.bitcode_hash = hash128("other");
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.symbol = "_Z1lPm";
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.settings.target = "x86-64-v3";
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.settings.processor = "another";
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.settings.mode = LANZA_MODE_THREADS;
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.settings.lanes = 8;
  EXPECT_NE(executor::object_key(changed, block), base);
  changed = source, changed.name = "only for messages";
  EXPECT_EQ(executor::object_key(changed, block), base);
}

TEST_F(ObjectStore, CodeIsLoadedFromMemoryToo) {
  // Several, made and dropped: each keeps its own name for the loader.
  std::vector<std::shared_ptr<const KernelObject>> objects;
  for (int i = 0; i < 20; ++i) {
    objects.push_back(KernelObject::open(sample(), "sample"));
    if (i % 3 == 0) objects.erase(objects.begin());
  }
  EXPECT_STREQ(objects.back()->table().report, R"({"engine": "sample"})");
  EXPECT_EQ(objects.back()->image(), sample());
}

TEST_F(ObjectStore, WhatIsNoKernelIsRefused) {
  EXPECT_THROW(KernelObject::open("no ELF file at all", "broken"), Error);
  EXPECT_THROW(KernelObject::open(std::filesystem::path("/nowhere/k.so")), Error);
}

TEST_F(ObjectStore, CodeOfAnotherBackendIsRefused) {
  backend::Code c;
  c.kind = "cubin";
  EXPECT_THROW(context->load(c, true), InvalidArgument);
  c.kind = "bitcode";
  c.data = std::string(12, '\0');
  c.relocations = {8};
  EXPECT_THROW(context->load(c, true), Error);
}

}  // namespace
}  // namespace lanza::testing
