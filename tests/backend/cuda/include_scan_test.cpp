// Files that a source reads, and those that it looked for.
#include "backend/cuda/include_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/file.hpp"

namespace lanza::cuda_backend {
namespace {

using testing::UnorderedElementsAre;

class IncludeScanTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = directory.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string dir(const std::string& name) { return (directory.path() / name).string(); }

  IncludeScan scan(const std::string& source) {
    return scan_includes({source, filename, headers, user_dirs, cuda_dirs, pre_includes});
  }
  std::vector<std::pair<std::string, bool>> seen(const IncludeScan& s) {
    std::vector<std::pair<std::string, bool>> result;
    for (const auto& d : s.dependencies) result.emplace_back(d.path, d.present);
    return result;
  }

  TemporaryDirectory directory;
  std::string filename = (directory.path() / "kernel.cu").string();
  std::vector<backend::Header> headers;
  std::vector<std::string> user_dirs, cuda_dirs, pre_includes;
};

TEST_F(IncludeScanTest, QuotesLookBesideTheIncludingFileFirst) {
  const std::string a = write("lib/a.h", "#include \"b.h\"\n"), b = write("lib/b.h", ""), other = write("inc/b.h", "");
  user_dirs = {dir("inc")};
  EXPECT_THAT(seen(scan("#include \"lib/a.h\"\n#include <b.h>\n")),
              UnorderedElementsAre(std::pair(a, true), std::pair(b, true), std::pair(other, true)));
}

TEST_F(IncludeScanTest, ProbedAndAbsentPathsAreKept) {
  const std::string b = write("second/b.h", "");
  user_dirs = {dir("first"), dir("second"), dir("third")};
  const IncludeScan s = scan("#include \"b.h\"\n");
  EXPECT_THAT(seen(s), UnorderedElementsAre(std::pair(dir("b.h"), false), std::pair(dir("first/b.h"), false),
                                            std::pair(b, true)));
  EXPECT_TRUE(s.complete);
}

TEST_F(IncludeScanTest, ConditionalBlocksAndHasIncludeCount) {
  const std::string a = write("a.h", ""), b = write("b.h", ""), c = write("c.h", "");
  EXPECT_THAT(
      seen(scan("#if 0\n#include \"a.h\"\n#elif __has_include(\"b.h\") && __has_include ( \"c.h\" )\n#endif\n")),
      UnorderedElementsAre(std::pair(a, true), std::pair(b, true), std::pair(c, true)));
}

TEST_F(IncludeScanTest, CommentsAndStringsDoNot) {
  write("a.h", "");
  EXPECT_TRUE(scan("// #include \"a.h\"\n/*\n#include \"a.h\"\n*/ const char* s = \"\\\n#include \\\"a.h\\\"\";\n")
                  .dependencies.empty());
}

TEST_F(IncludeScanTest, MacrosCannotBeFollowed) {
  EXPECT_FALSE(scan("#define H \"a.h\"\n#include H\n").complete);
  EXPECT_TRUE(scan("#include \"nowhere.h\"\n").complete);
}

TEST_F(IncludeScanTest, MacrosAroundHasInclude) {
  const std::string a = write("a.h", "");
  const IncludeScan named = scan("#define MY_HAS_INCLUDE(x) __has_include(x)\n#if MY_HAS_INCLUDE(\"a.h\")\n#endif\n");
  EXPECT_TRUE(named.complete);
  EXPECT_THAT(seen(named), UnorderedElementsAre(std::pair(a, true)));
  EXPECT_FALSE(scan("#define THERE(x) __has_include(x)\n#if THERE(\"a.h\")\n#endif\n").complete);
}

TEST_F(IncludeScanTest, HeadersInMemoryComeFirstAndAreFollowed) {
  const std::string b = write("b.h", "");
  write("a.h", "");
  headers = {{"a.h", "#include \"b.h\"\n"}};
  filename = "";
  user_dirs = {directory.path().string()};
  EXPECT_THAT(seen(scan("#include <a.h>\n")),
              UnorderedElementsAre(std::pair(std::string("b.h"), false), std::pair(b, true)));
}

TEST_F(IncludeScanTest, StandInsComeAfterTheUsersFiles) {
  EXPECT_THAT(scan("#include <math.h>\n#include <cmath>\n#include <math.h>\n").host_headers,
              testing::ElementsAre("math.h", "cmath"));
  const std::string mine = write("math.h", "");
  user_dirs = {directory.path().string()};
  const IncludeScan s = scan("#include <math.h>\n");
  EXPECT_TRUE(s.host_headers.empty());
  EXPECT_THAT(seen(s), UnorderedElementsAre(std::pair(mine, true)));
}

TEST_F(IncludeScanTest, CudaHeadersComeLast) {
  const std::string h = write("cuda/cuda_fp16.h", "#include <stdint.h>\n");
  cuda_dirs = {dir("cuda")};
  const IncludeScan s = scan("#include <cuda_fp16.h>\n");
  EXPECT_TRUE(s.uses_cuda_headers);
  EXPECT_THAT(s.host_headers, testing::ElementsAre("stdint.h"));
}

TEST_F(IncludeScanTest, CyclesEnd) {
  write("a.h", "#include \"b.h\"\n");
  write("b.h", "#include \"a.h\"\n");
  EXPECT_EQ(scan("#include \"a.h\"\n").dependencies.size(), 2u);
}

TEST_F(IncludeScanTest, RelativePathsStayRelative) {
  filename = "kernel.cu";
  EXPECT_THAT(seen(scan("#include \"a.h\"\n")), UnorderedElementsAre(std::pair(std::string("a.h"), false)));
}

}  // namespace
}  // namespace lanza::cuda_backend
