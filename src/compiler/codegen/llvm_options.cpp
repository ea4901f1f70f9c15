#include "compiler/codegen/llvm_options.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace lanza::compiler {

// A second vector loop for the last few lanes doubles the code. The scheduler compares each access with all others of
// its block: of more than 100 the older ones count as one, which costs no speed. (CodeGenPrepare's mode for large
// functions, -cgpp-huge-func, would halve the time of tiled products, but lost a value: the fuzzer's seed 5448480.)
// Locations of variables are asked for with -G only, whose code is not optimised; looking for them takes a fifteenth of
// the time of code generation. What is needed before a large frame is there does not survive r11, which touches its
// pages: shrink-wrapping lets live values stand in it (the fuzzer's seed 21004982). What CodeGenPrepare promotes to
// fold an extension into a load, and the search for chains of integers that could live in mask registers, take up to a
// seventh of the time of code generation and find nothing: values of lanes are vectors, and masks are masks already.
// Stores that are written over are gone before LLVM looks for them (`covered_stores.hpp`): it need not go far back from
// each. Nor GVN for what a load depends on: with hundreds of loops it looks through all blocks before each of them (470
// loops: a tenth of the time to compile). Registers that live through hundreds of loops are not split where regions of
// loops want that: 960 barriers took 1.65 s to compile with it, and 1.2 without, and run 1.01 of the time. No address
// is a sum of dozens of terms: of rounds of hashes scalar evolution would make sums of hundreds, and sort them again
// for each that it adds (SHA-256: 50 ms of 600).
static constexpr const char* kOptions[] = {"-enable-epilogue-vectorization=false",
                                           "-dag-maps-huge-region=100",
                                           "-experimental-debug-variable-locations=false",
                                           "-enable-shrink-wrap=false",
                                           "-disable-cgp-ext-ld-promotion",
                                           "-disable-x86-domain-reassignment",
                                           "-dse-memoryssa-scanlimit=30",
                                           "-dse-memoryssa-walklimit=20",
                                           "-memdep-block-number-limit=50",
                                           "-grow-region-complexity-budget=1000",
                                           "-scev-addops-inline-threshold=30"};

std::string take_llvm_options(ArrayRef<const char*> options) {
  SmallVector<const char*, 16> words{"lanza"};
  words.append(options.begin(), options.end());
  std::string said;
  raw_string_ostream stream(said);
  if (cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), "", &stream)) return {};
  // Of a value that does not fit, it speaks on the standard error stream.
  return "LLVM does not take its options " + join(options, " ") + (said.empty() ? "" : ": ") +
         StringRef(said).rtrim().str();
}

const std::string& set_llvm_options() {
  static const std::string said = take_llvm_options(kOptions);
  return said;
}

}  // namespace lanza::compiler
