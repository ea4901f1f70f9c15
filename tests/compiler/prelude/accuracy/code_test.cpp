// Which functions' code changed since their errors were last measured over all inputs: measured.tsv keeps a digest of
// each one's optimised code, as PTX, which is the same on every machine. scripts/check-math measures those and updates
// the table; LANZA_MATH_CODE names a file that gets a line a function: name, digest, bounds.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/plugin.hpp"
#include "functions.hpp"
#include "needs_compiler.hpp"
#include "product.hpp"
#include "support/hash.hpp"

namespace lanza::test {
namespace {

// Without comments, lines of the source and labels of debug information, which say nothing about the code.
std::string code_alone(std::string_view ptx) {
  std::istringstream lines{std::string(ptx)};
  std::string code;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos) continue;
    const std::string_view text = std::string_view(line).substr(start, line.find("//") - start);
    if (text.starts_with(".section")) break;
    const bool debug = text.starts_with(".loc") || text.starts_with(".file") || text.starts_with("$L__tmp") ||
                       text.starts_with("$L__func") || text.empty();
    if (!debug) code += std::string(text) + "\n";
  }
  return code;
}

std::string digest_of(const std::string& name, std::initializer_list<const char*> types) {
  const CompileResult compiled = compile({.source = kernel_source(name, types), .options = {"-fmad=false"}});
  if (!compiled->ok) return text(compiled->log);
  const LanzaPtxRequest request = {.bitcode = compiled->bitcode, .compute_capability = 80, .ptx_version = 78};
  const std::unique_ptr<LanzaPtxResult, Free> ptx(plugin().emit_ptx(&request));
  return ptx->ok ? hash128(code_alone(view(ptx->ptx))).hex().substr(0, 16) : text(ptx->log);
}

struct Row {
  std::string name, digest;
  double bound, absolute;
};
std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const auto& f : float_functions())
    rows.push_back({f.name, digest_of(f.name, {"float", "float"}), f.bound.ulps, f.bound.absolute});
  for (const auto& f : double_functions())
    rows.push_back({f.name, digest_of(f.name, {"double", "double"}), f.bound.ulps, f.bound.absolute});
  for (const auto& f : binary_functions()) {
    const char* type = f.single ? "float" : "double";
    rows.push_back({f.name, digest_of(f.name, {type, type, type}), f.bound, 0});
  }
  for (const auto& f : order_functions()) {
    const char* type = f.single ? "float" : "double";
    rows.push_back({f.name, digest_of(f.name, {type, "int", type}), 0, f.absolute});
  }
  return rows;
}

TEST(MathCode, EveryFunctionWasMeasuredAsItIs) {
  LANZA_NEEDS_COMPILER();
  std::map<std::string, std::string> measured;
  std::ifstream table(LANZA_MATH_TABLE);
  std::string line, made_with;
  std::getline(table, made_with);
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string name, digest;
    fields >> name >> digest;
    measured[name] = digest;
  }
  const std::vector<Row> all = rows();
  if (const char* path = std::getenv("LANZA_MATH_CODE")) {
    std::ofstream file(path);
    file << "# " << plugin().about << "\n";
    for (const Row& row : all)
      file << row.name << "\t" << row.digest << "\t" << row.bound << "\t" << row.absolute << "\n";
  }
  if (made_with.find(plugin().about) == std::string::npos)
    GTEST_SKIP() << "the table of measured errors (" << made_with << ") was made with another compiler than "
                 << plugin().about;
  std::string changed;
  for (const Row& row : all)
    if (measured[row.name] != row.digest) changed += " " + row.name;
  EXPECT_EQ(changed, "") << "The code of these functions changed since their errors were measured over all inputs: run "
                            "scripts/check-math, which measures them and updates measured.tsv and docs/math.md.";
}

}  // namespace
}  // namespace lanza::test
