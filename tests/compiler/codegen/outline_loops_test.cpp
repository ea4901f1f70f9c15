// Long kernels: some of their loops are functions of an object of their own, written on another thread.
#include "compiler/codegen/outline_loops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned kThreads = 256;

// Two loops over barriers, each with `steps` steps that follow on each other, and a store through a pointer.
std::string source(unsigned steps, const std::string& first = "0") {
  std::string text = R"(
__device__ int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = tid_x, v = in[index_x], w = t;)";
  for (int loop = 0; loop < 2; ++loop) {
    text += "\n  for (int r = 0; r < n; ++r) {\n    s[t] = v;\n    __syncthreads();\n    w = s[(t + r) & 255] + " +
            first + ";\n";
    for (unsigned k = 0; k < steps; ++k) {
      const std::string mixed = std::to_string(2 * k + 3 + loop);
      text += "    v = (v ^ (w >> " + std::to_string(k % 7 + 1) + ")) * " + mixed + " + in[(t + " + mixed +
              " + r) & 255];\n";
      text += "    w = w * " + mixed + " + v;\n";
    }
    text += "    __syncthreads();\n  }";
  }
  return text + "\n  out[index_x] = v + w;\n}";
}

std::vector<int> expected(const std::vector<int>& in, int n, unsigned steps) {
  std::vector<int> v = in, w(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) w[t] = static_cast<int>(t);
  for (unsigned loop = 0; loop < 2; ++loop)
    for (int r = 0; r < n; ++r) {
      const std::vector<int> s = v;
      for (unsigned t = 0; t < kThreads; ++t) {
        unsigned x = static_cast<unsigned>(v[t]), y = static_cast<unsigned>(s[(t + static_cast<unsigned>(r)) & 255]);
        for (unsigned k = 0; k < steps; ++k) {
          const unsigned mixed = 2 * k + 3 + loop, from = (t + mixed + static_cast<unsigned>(r)) & 255;
          const auto shifted = static_cast<unsigned>(static_cast<int>(y) >> (k % 7 + 1));
          x = (x ^ shifted) * mixed + static_cast<unsigned>(in[from]);
          y = y * mixed + x;
        }
        v[t] = static_cast<int>(x);
        w[t] = static_cast<int>(y);
      }
    }
  for (unsigned t = 0; t < kThreads; ++t)
    v[t] = static_cast<int>(static_cast<unsigned>(v[t]) + static_cast<unsigned>(w[t]));
  return v;
}

// For a processor that is the same everywhere: how long a loop is depends on it.
std::string compiled(const std::string& bitcode) {
  const std::string kernel = "k", target = "x86-64-v3";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.block[0] = kThreads;
  request.block[1] = request.block[2] = 1;
  const Specialised result = specialise(request);
  if (!result.ok) throw std::runtime_error(result.log);
  return result.object;
}

std::string symbol(const char* name) { return std::string(1, '\0') + name + '\0'; }

TEST(OutlineLoops, LeavesResultsAsTheyAre) {
  constexpr unsigned kSteps = 60;
  const std::string object = compiled(bitcode_of(source(kSteps)));
  EXPECT_THAT(object, HasSubstr(symbol("k.loop.0")));
  EXPECT_EQ(undefined_symbols(object), "");
  LoadedKernel kernel(object);
  EXPECT_THAT(kernel.table().report, HasSubstr("\"engine\":\"vector\""));
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor cannot run what was compiled";
  std::vector<int> in(kThreads), out(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) in[t] = static_cast<int>(t * 2654435761U);
  for (const int n : {0, 1, 5}) {
    Arguments arguments = pack(in.data(), out.data(), n);
    ASSERT_EQ(kernel.run({.block = {kThreads}}, arguments.data()), LANZA_DONE);
    EXPECT_EQ(out, expected(in, n, kSteps)) << n;
  }
}

TEST(OutlineLoops, IsTheSameEachTime) {
  const std::string bitcode = bitcode_of(source(60));
  EXPECT_TRUE(compiled(bitcode) == compiled(bitcode));
}

TEST(OutlineLoops, LeavesKernelsWholeThatCallFunctions) {
  const std::string object = compiled(bitcode_of(source(60, "depth(r)")));
  EXPECT_THAT(object, Not(HasSubstr(symbol("k.loop.0"))));
  EXPECT_EQ(undefined_symbols(object), "");
  EXPECT_THAT(LoadedKernel(object).table().report, HasSubstr("\"engine\":\"vector\""));
}

TEST(OutlineLoops, LeavesShortKernelsWhole) {
  EXPECT_THAT(compiled(bitcode_of(source(0))), Not(HasSubstr(symbol("k.loop.0"))));
}

// What becomes of a function `run` written as LLVM's assembly.
class Outlined {
 public:
  explicit Outlined(const std::string& assembly) : module_(llvm::parseAssemblyString(assembly, error_, context_)) {
    if (!module_) throw std::runtime_error(error_.getMessage().str());
    loops_ = outline_loops(*module_->getFunction("run"), "k.loop");
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()) || (loops_ && llvm::verifyModule(*loops_, &llvm::errs())));
  }

  /// Null: nothing was taken out.
  const llvm::Function* first() const { return loops_ ? loops_->getFunction("k.loop.0") : nullptr; }
  const llvm::Function& rest() const { return *module_->getFunction("run"); }

 private:
  llvm::LLVMContext context_;
  llvm::SMDiagnostic error_;
  std::unique_ptr<llvm::Module> module_, loops_;
};

// A loop that goes through `places` places of a variable, their addresses in front of it, and as much code behind it.
std::string walk_of(unsigned places) {
  std::string addresses, turn, rest;
  for (unsigned k = 0; k < places; ++k) {
    const std::string n = std::to_string(k);
    addresses += "  %p" + n + " = getelementptr i8, ptr %slots, i64 " + std::to_string(64 * k) + "\n";
    for (const char* step : {"a", "b", "c", "d"}) {
      const std::string id = step + n;
      turn += "  %v" + id + " = load <16 x float>, ptr %p" + n + "\n  %w" + id + " = fadd <16 x float> %v" + id +
              ", %v" + id + "\n  store volatile <16 x float> %w" + id + ", ptr %p" + n + "\n";
      rest += "  store volatile i32 %n, ptr %out\n  store volatile i32 0, ptr %out\n  store volatile i32 1, ptr %out\n";
    }
  }
  return "define i32 @run(ptr %out, i32 %n) {\nentry:\n  %slots = alloca [4096 x i8], align 64\n" + addresses +
         "  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %j, %turn ]\n" + turn +
         "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %turn, label %end\nend:\n" + rest +
         "  ret i32 0\n}\n";
}

// What goes into it is the variable, not each of its places.
TEST(OutlineLoops, TakesConstantPlacesAlong) {
  const Outlined outlined(walk_of(30));
  const llvm::Function* loop = outlined.first();
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->arg_size(), 2U);  // and how many turns
}

// A loop through `variables` variables, and as much code behind it that uses them, too.
std::string walk_through(unsigned variables) {
  std::string made, turn, rest;
  for (unsigned k = 0; k < variables; ++k) {
    const std::string n = std::to_string(k);
    made += "  %p" + n + " = alloca <16 x float>, align 64\n";
    for (const char* step : {"a", "b", "c", "d"}) {
      const std::string id = step + n;
      for (auto [code, name] : {std::pair{&turn, "v"}, std::pair{&rest, "w"}})
        *code += "  %" + (name + id) + " = load volatile <16 x float>, ptr %p" + n +
                 "\n  store volatile <16 x float> %" + (name + id) + ", ptr %p" + n + "\n";
    }
  }
  return "define i32 @run(i32 %n) {\nentry:\n" + made +
         "  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %j, %turn ]\n" + turn +
         "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %turn, label %end\nend:\n" + rest +
         "  ret i32 0\n}\n";
}

TEST(OutlineLoops, JoinsVariables) {
  const Outlined outlined(walk_through(60));
  const llvm::Function* loop = outlined.first();
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->arg_size(), 2U);  // where all of them are, and how many turns
}

std::string straight_code(unsigned steps, const std::string& name) {
  std::string code;
  for (unsigned k = 0; k < steps; ++k) {
    const std::string n = name + std::to_string(k);
    code += "  %v" + n + " = load volatile i32, ptr %out\n  %w" + n + " = add i32 %v" + n + ", %i\n" +
            "  store volatile i32 %w" + n + ", ptr %out\n";
  }
  return code;
}

// A loop of one long block.
std::string straight_loop(unsigned steps) {
  return "define i32 @run(ptr %out, i32 %n) {\nentry:\n  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %j, "
         "%turn ]\n" +
         straight_code(steps, "") +
         "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %turn, label %end\nend:\n" +
         "  ret i32 0\n}\n";
}

TEST(OutlineLoops, TakesStretchesOfTheOutermostLoop) {
  const Outlined outlined(straight_loop(400));
  const llvm::Function* stretch = outlined.first();
  ASSERT_TRUE(stretch);
  EXPECT_EQ(stretch->arg_size(), 2U);
  EXPECT_GT(stretch->getInstructionCount(), 400U);
  EXPECT_LT(stretch->getInstructionCount(), 800U);
  EXPECT_LE(outlined.rest().size(), 4U);  // what was cut and stays here is one block again
  EXPECT_LE(stretch->size(), 3U);
}

// A loop with a loop in it, which often has no turn, and little besides.
TEST(OutlineLoops, AsksForAFirstTurnBeforeTheCall) {
  const Outlined outlined(
      "define i32 @run(ptr %out, i32 %n) {\nentry:\n  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %j, %next "
      "]\n" +
      straight_code(100, "a") +
      "  br label %ask\nask:\n  %any = icmp ult i32 %i, %n\n"
      "  br i1 %any, label %inner, label %joined\ninner:\n  %k = phi i32 [ %i, %ask ], [ %l, %inner ]\n" +
      straight_code(300, "b") +
      "  %l = add i32 %k, 1\n  %d = icmp ult i32 %l, %n\n"
      "  br i1 %d, label %inner, label %joined\njoined:\n  %e = phi i32 [ %i, %ask ], [ %l, %inner ]\n"
      "  store volatile i32 %e, ptr %out\n  br label %next\nnext:\n" +
      straight_code(50, "c") +
      "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %turn, label %end\nend:\n  ret i32 0\n}\n");
  ASSERT_TRUE(outlined.first());
  const auto asks = [](const llvm::BasicBlock& block) {
    return any_of(block, [](const llvm::Instruction& i) { return i.getName() == "any"; });
  };
  EXPECT_TRUE(any_of(outlined.rest(), asks));
  EXPECT_FALSE(any_of(*outlined.first(), asks));
}

}  // namespace
}  // namespace lanza::compiler::testing
