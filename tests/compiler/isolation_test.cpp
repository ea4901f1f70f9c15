// The plug-in's LLVM and another one in the process never meet.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;

namespace {

constexpr const char* source = R"(
template <class T> __global__ void axpy(T a, const T *x, T *y) { y[threadIdx.x] += a * x[threadIdx.x]; })";

TEST(Isolation, AnotherLlvmFirstAndGlobal) {
  void* other = nullptr;
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so", "libLLVM.so.18.1", "libLLVM-14.so.1"})
    if (!other) other = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!other) GTEST_SKIP() << "no shared libLLVM on this machine";
  using Create = void* (*)();
  const auto create = reinterpret_cast<Create>(::dlsym(other, "LLVMContextCreate"));
  ASSERT_TRUE(create);
  const auto dispose = reinterpret_cast<void (*)(void*)>(::dlsym(other, "LLVMContextDispose"));
  void* context = create();

  const CompileResult r = compile({.source = source, .names = {"axpy<float>", "axpy<double>"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(r->kernel_count, 2u);
  EXPECT_FALSE(compile({.source = "#pragma clang __debug parser_crash"})->ok);

  dispose(context);
  dispose(create());
}

TEST(Isolation, OneSymbolIsExported) {
  plugin();
  Dl_info info;
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&plugin()), &info), 0);
  void* handle = ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(handle);
  EXPECT_TRUE(::dlsym(handle, LANZA_COMPILER_SYMBOL));
  for (const char* name : {"LLVMContextCreate", "LLVMInitializeX86Target", "LLVMInitializeARMTarget", "lldMain",
                           "ZSTD_compress", "deflate", "__cxa_throw"}) {
    void* found = ::dlsym(handle, name);
    Dl_info owner{};
    if (found) ::dladdr(found, &owner);
    EXPECT_TRUE(!found || std::string(owner.dli_fname) != info.dli_fname) << name << " is exported";
  }
}

TEST(Isolation, AnotherVersionOfTheInterfaceIsRefused) {
  Dl_info info;
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&plugin()), &info), 0);
  void* handle = ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  const auto entry = reinterpret_cast<LanzaCompilerEntry>(::dlsym(handle, LANZA_COMPILER_SYMBOL));
  EXPECT_EQ(entry(LANZA_COMPILER_INTERFACE), &plugin());
  EXPECT_EQ(entry(LANZA_COMPILER_INTERFACE + 1), nullptr);
  EXPECT_EQ(entry(0), nullptr);
}

}  // namespace
