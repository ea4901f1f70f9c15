#include "compiler/passes/vector/lanes/load_words.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kWord = 64, kLane = 32, kMostWords = 8;  // registers

/// What a loaded vector is used for, if for nothing else.
class Uses {
 public:
  explicit Uses(LoadInst& load) : load_(load) {
    auto* type = dyn_cast<FixedVectorType>(load.getType());
    if (!load.isSimple() || !type || !type->getElementType()->isIntegerTy(kLane) || type->getNumElements() % 2) return;
    count_ = type->getNumElements() / 2;
    fits_ = count_ <= kMostWords &&
            all_of(load.users(), [&](User* user) { return takes_words(*user) || asks(*user); }) && !words_.empty();
  }

  bool fits() const { return fits_; }

  void replace() {
    IRBuilder<> b(&load_);
    SmallVector<Value*, kMostWords> loaded;
    for (unsigned k = 0; k < count_; ++k) {
      Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), load_.getPointerOperand(), k * kWord / 8);
      LoadInst* word = b.CreateAlignedLoad(b.getIntNTy(kWord), at, commonAlignment(load_.getAlign(), k * kWord / 8));
      word->copyMetadata(load_, {LLVMContext::MD_invariant_load, LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                                 LLVMContext::MD_noalias});
      loaded.push_back(word);
    }
    for (ICmpInst* question : questions_) answer(*question, loaded);
    for (ExtractElementInst* word : words_) {
      word->replaceAllUsesWith(loaded[cast<ConstantInt>(word->getIndexOperand())->getZExtValue()]);
      word->eraseFromParent();
    }
    for (Instruction* i : dead_) i->eraseFromParent();
    load_.eraseFromParent();
  }

 private:
  bool takes_words(User& user) {
    auto* cast = dyn_cast<BitCastInst>(&user);
    auto* type = cast ? dyn_cast<FixedVectorType>(cast->getType()) : nullptr;
    if (!type || !type->getElementType()->isIntegerTy(kWord)) return false;
    for (User* taken : cast->users()) {
      auto* word = dyn_cast<ExtractElementInst>(taken);
      auto* index = word ? dyn_cast<ConstantInt>(word->getIndexOperand()) : nullptr;
      if (!index || index->getValue().uge(count_)) return false;
      words_.push_back(word);
    }
    dead_.push_back(cast);
    return true;
  }

  // `no lane >= bound`, or its opposite.
  bool asks(User& user) {
    auto* compare = dyn_cast<ICmpInst>(&user);
    if (!compare || compare->getPredicate() != ICmpInst::ICMP_UGE || compare->getOperand(0) != &load_) return false;
    auto* mask = compare->hasOneUse() ? dyn_cast<BitCastInst>(*compare->user_begin()) : nullptr;
    auto* question = mask && mask->hasOneUse() ? dyn_cast<ICmpInst>(*mask->user_begin()) : nullptr;
    const Value* bound = getSplatValue(compare->getOperand(1));
    if (!question || !question->isEquality() || !match(question->getOperand(1), m_Zero()) || !bound ||
        computeKnownBits(bound, load_.getDataLayout()).countMaxPopulation() > 1)
      return false;
    questions_.push_back(question);
    dead_.append({mask, compare});
    return true;
  }

  void answer(ICmpInst& question, ArrayRef<Value*> words) const {
    auto* compare = cast<ICmpInst>(cast<BitCastInst>(question.getOperand(0))->getOperand(0));
    IRBuilder<> b(&question);
    SmallVector<Value*, kMostWords> bits(words);
    for (; bits.size() > 1; bits.truncate(bits.size() / 2 + bits.size() % 2))
      for (unsigned k = 0; k < bits.size() / 2; ++k) bits[k] = b.CreateOr(bits[k], bits[bits.size() - 1 - k]);
    Value* all = b.CreateTrunc(b.CreateOr(bits[0], b.CreateLShr(bits[0], kLane)), b.getIntNTy(kLane));
    const bool below = question.getPredicate() == ICmpInst::ICMP_EQ;
    question.replaceAllUsesWith(b.CreateICmp(below ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE, all,
                                             const_cast<Value*>(getSplatValue(compare->getOperand(1)))));
    question.eraseFromParent();
  }

  LoadInst& load_;
  unsigned count_ = 0;
  bool fits_ = false;
  SmallVector<ExtractElementInst*, 16> words_;
  SmallVector<ICmpInst*, 2> questions_;
  SmallVector<Instruction*, 8> dead_;  ///< users before what they use
};

}  // namespace

bool load_words(Function& function) {
  SmallVector<LoadInst*, 16> loads;
  for (Instruction& i : instructions(function))
    if (auto* load = dyn_cast<LoadInst>(&i)) loads.push_back(load);
  bool changed = false;
  for (LoadInst* load : loads)
    if (Uses uses(*load); uses.fits()) {
      uses.replace();
      changed = true;
    }
  return changed;
}

}  // namespace lanza::compiler
