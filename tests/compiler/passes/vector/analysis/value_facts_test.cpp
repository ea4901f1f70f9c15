// What is known of a value goes with it.
#include "compiler/passes/vector/analysis/value_facts.hpp"

#include <gtest/gtest.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/thread_values.hpp"

namespace lanza::compiler::testing {
namespace {

using namespace llvm;

class ValueFactsTest : public ::testing::Test {
 protected:
  ConstantInt* number(unsigned n) { return ConstantInt::get(Type::getInt32Ty(context_), n); }
  Instruction* sum(Value* a, Value* b) { return BinaryOperator::CreateAdd(a, b, "", block_); }

  LLVMContext context_;
  Module module_{"test", context_};
  Function* function_ =
      Function::Create(FunctionType::get(Type::getVoidTy(context_), {Type::getInt32Ty(context_)}, false),
                       Function::ExternalLinkage, "f", module_);
  BasicBlock* block_ = BasicBlock::Create(context_, "", function_);
};

TEST_F(ValueFactsTest, ErasedValuesAreForgotten) {
  ValueFacts<int> facts;
  Instruction* first = sum(number(1), number(2));
  facts[first] = std::make_unique<int>(7);
  EXPECT_EQ(*facts.find(first)->second, 7);
  first->eraseFromParent();
  EXPECT_TRUE(facts.empty());
}

TEST_F(ValueFactsTest, WhatTakesAPlaceInheritsNothing) {
  ValueFacts<int> facts;
  Instruction *first = sum(number(1), number(2)), *second = sum(number(2), number(1));
  facts[first] = std::make_unique<int>(7);
  first->replaceAllUsesWith(second);
  EXPECT_EQ(facts.find(second), facts.end());
  EXPECT_EQ(*facts.find(first)->second, 7);
}

TEST_F(ValueFactsTest, ThreadValuesAreNotThoseOfWhatWasThere) {
  ThreadValues values({4, 1, 1});
  for (int i = 0; i < 100; ++i) {
    Instruction* known = sum(number(1), number(2));
    ASSERT_TRUE(values.of(known));
    EXPECT_EQ(values.of(known)->at(3), 3);
    known->eraseFromParent();
    Instruction* unknown = sum(function_->getArg(0), number(2));  // as a rule at the same address
    EXPECT_FALSE(values.of(unknown));
    unknown->eraseFromParent();
  }
}

}  // namespace
}  // namespace lanza::compiler::testing
