// Compiled code as bytes, and the two levels of keys.
#include "runtime/code_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "runtime/fake_backend.hpp"
#include "support/file.hpp"

namespace lanza::detail {
namespace {

using Clock = std::filesystem::file_time_type::clock;

backend::Code sample() {
  auto code = fake::result({fake::kernel("multiplicar", {fake::pointer("dest", DType::Float32, true),
                                                         fake::scalar("n", DType::Int32), fake::record("p", "P", 12)})})
                  .code;
  code.kernels[0].expression = "expression";
  code.kernels[0].max_threads = 256;
  code.kernels[0].static_shared = 1024;
  backend::VariableInfo variable;
  variable.symbol = "_tabla";
  variable.name = "tabla";
  variable.expression = "&tabla";
  variable.offset = 8;
  variable.size = 16;
  variable.constant = true;
  variable.folded = true;
  code.variables = {variable};
  code.image = std::string("\0\1binary", 8);
  code.data = "data";
  code.data_bytes = 100;
  code.relocations = {8, 16};
  code.log = "warning";
  return code;
}

TEST(CodeBytes, ThereAndBack) {
  const backend::Code code = sample();
  const auto copy = deserialise(serialise(code));
  ASSERT_TRUE(copy);
  EXPECT_EQ(serialise(*copy), serialise(code));
  EXPECT_EQ(copy->image, code.image);
  EXPECT_EQ(copy->relocations, code.relocations);
  EXPECT_EQ(copy->data_bytes, 100u);
  const backend::KernelInfo& kernel = copy->kernels.at(0);
  EXPECT_EQ(kernel.symbol, "_multiplicar");
  EXPECT_EQ(kernel.expression, "expression");
  EXPECT_EQ(kernel.max_threads, 256u);
  EXPECT_EQ(kernel.static_shared, 1024u);
  EXPECT_EQ(to_string("k", kernel.signature), "k(const float* dest, int n, P p)");
  EXPECT_TRUE(kernel.signature.parameters.at(0).read_only);
  EXPECT_EQ(kernel.signature.parameters.at(2).offset, 12u);
  EXPECT_EQ(kernel.signature.bytes, 24u);
  EXPECT_EQ(copy->variables.at(0).expression, "&tabla");
  EXPECT_TRUE(copy->variables.at(0).constant);
  EXPECT_TRUE(copy->variables.at(0).folded);
}

TEST(CodeBytes, AnyPartOfThemIsNoCode) {
  const std::string bytes = serialise(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(deserialise(bytes.substr(0, size))) << size;
  EXPECT_FALSE(deserialise(bytes + "x"));
  EXPECT_FALSE(deserialise(std::string(1000, '\xff')));
}

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() {
    request_.source = "source";
    request_.names = {"axpy<float>"};
    request_.options = {"-DN=4"};
    request_.include_dirs = {"/usr/include"};
    request_.headers = {{"a.h", "int a;"}};
  }
  bool hit() { return CodeCache(disk_, request_, target_, compiler_).find().has_value(); }
  void store(std::vector<backend::Dependency> dependencies = {}, Clock::time_point began = Clock::now()) {
    backend::CompileResult result{sample(), std::move(dependencies), cacheable_};
    CodeCache(disk_, request_, target_, compiler_).store(result, began);
  }
  std::string path(const char* name) { return (directory_.path() / name).string(); }
  void write(const char* name, std::string_view text) {
    std::ofstream(path(name)) << text;
    // As if it had been written long before the compilation began.
    std::filesystem::last_write_time(path(name), Clock::now() - std::chrono::minutes(1));
  }

  TemporaryDirectory directory_;
  DiskCache disk_{{.directory = directory_.path() / "cache", .capacity = 1 << 20, .enabled = true}};
  backend::CompileRequest request_;
  std::string target_ = "cpu", compiler_ = "clang 19";
  bool cacheable_ = true;
};

TEST_F(CodeCacheTest, FindsWhatWasStored) {
  EXPECT_FALSE(hit());
  store();
  EXPECT_TRUE(hit());
}

TEST_F(CodeCacheTest, EveryPartOfTheRequestIsInTheKey) {
  store();
  const backend::CompileRequest original = request_;
  const auto expect_miss = [&](const char* what) {
    EXPECT_FALSE(hit()) << what;
    request_ = original;
    EXPECT_TRUE(hit()) << what;
  };
  request_.source += " ";
  expect_miss("source");
  request_.filename = "other.cu";
  expect_miss("filename");
  request_.names = {"axpy<double>"};
  expect_miss("names");
  request_.options.push_back("-DM=5");
  expect_miss("options");
  request_.options = {"-DN=", "4"};
  expect_miss("options split elsewhere");
  request_.include_dirs = {};
  expect_miss("include_dirs");
  request_.headers[0].text += " ";
  expect_miss("text of a header");
  request_.headers[0].name = "b.h";
  expect_miss("name of a header");
  request_.names.clear();
  request_.options.insert(request_.options.begin(), "axpy<float>");
  expect_miss("a name as an option");
  target_ = "cuda";
  EXPECT_FALSE(hit());
  target_ = "cpu";
  compiler_ = "clang 20";
  EXPECT_FALSE(hit());
}

TEST_F(CodeCacheTest, ContentOfAnIncludedFile) {
  write("a.h", "int a = 1;");
  store({{path("a.h"), true}});
  EXPECT_TRUE(hit());
  write("a.h", "int a = 2;");
  EXPECT_FALSE(hit());
  write("a.h", "int a = 1;");
  EXPECT_TRUE(hit());
  std::filesystem::remove(path("a.h"));
  EXPECT_FALSE(hit());
}

TEST_F(CodeCacheTest, FileThatAppearsWhereTheCompilerLookedBefore) {
  write("b.h", "int b;");
  store({{path("first/b.h"), false}, {path("b.h"), true}});
  EXPECT_TRUE(hit());
  std::filesystem::create_directory(path("first"));
  write("first/b.h", "int b;");
  EXPECT_FALSE(hit());
}

TEST_F(CodeCacheTest, EarlierStatesOfTheFilesAreFoundAgain) {
  write("a.h", "int a;");
  store({{path("a.h"), true}});
  for (int i = 0; i < 7; ++i) {  // results that came of other files
    const std::string other = "other" + std::to_string(i) + ".h";
    write(other.c_str(), "int b;");
    store({{path("a.h"), true}, {path(other.c_str()), true}});
    std::filesystem::remove(path(other.c_str()));
    EXPECT_TRUE(hit()) << i;
  }
}

TEST_F(CodeCacheTest, NotStoredWhenTheKeyWouldBeIncomplete) {
  cacheable_ = false;
  store();
  EXPECT_FALSE(hit());
}

TEST_F(CodeCacheTest, NotStoredWhenAFileChangedDuringTheCompilation) {
  write("a.h", "int a;");
  store({{path("a.h"), true}}, Clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(hit());
  store({{path("absent.h"), true}});
  EXPECT_FALSE(hit());
  store({{path("a.h"), false}});
  EXPECT_FALSE(hit());
}

TEST_F(CodeCacheTest, DamagedEntriesAreMisses) {
  store();
  ASSERT_TRUE(hit());
  for (const auto& entry : disk_.entries()) std::ofstream(entry.path) << "garbage";
  EXPECT_FALSE(hit());
  store();
  EXPECT_TRUE(hit());
}

}  // namespace
}  // namespace lanza::detail
