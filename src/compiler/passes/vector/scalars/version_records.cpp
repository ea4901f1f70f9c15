#include "compiler/passes/vector/scalars/version_records.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostInstructions = 200, kMostAccesses = 64, kMostAsked = 4, kMostBlocks = 4;
constexpr int64_t kLongest = 64;  // bytes of a record
constexpr int64_t kLongestTable = 4096;

using Term = AddressTerms::Term;

/// From the first byte to behind the last, from where the terms lead.
struct Bytes {
  int64_t first, end;
};

struct Access {
  Instruction* instruction;
  AddressTerms terms;
  Bytes bytes;  ///< of a table all of them
  bool is_member;
  bool is_read_by_lanes;  ///< a member, or neighbours, or what all share, or a table

  bool writes() const { return isa<StoreInst>(instruction); }
};

/// Two arrays, of which one is written: what their addresses do not have in common, and which bytes of a record.
struct Question {
  SmallVector<Term, 2> written_terms, read_terms;
  Bytes written, read;
  int64_t step;      ///< by which the distance of what a lane writes and reads grows from lane to lane
  bool may_be_same;  ///< one array, in place: no member is read behind a store to it
};

/// Code of a block from its first store, or the first load of what is read behind it, to the last access to a member,
/// or the last load.
class Piece {
 public:
  Piece(BasicBlock& block, const Shapes& shapes) : block_(block), shapes_(shapes) {}

  bool find() {
    const DataLayout& layout = block_.getDataLayout();
    unsigned size = 0, stores = 0;
    for (Instruction& i : block_) {
      auto* load = dyn_cast<LoadInst>(&i);
      auto* store = dyn_cast<StoreInst>(&i);
      if (!load && !store) {
        if (i.mayReadOrWriteMemory() || i.mayHaveSideEffects()) return false;
        continue;
      }
      if (load ? !load->isSimple() : !store->isSimple()) return false;
      const auto bytes = static_cast<int64_t>(layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue());
      const Shape shape = shapes_[getLoadStorePointerOperand(&i)];
      const int64_t stride = std::abs(shape.stride);
      const bool is_member = shape.is_strided() && stride > bytes && stride <= kLongest;
      const bool is_read_by_lanes =
          load && (is_member || shape.is_uniform() || (shape.is_strided() && shape.stride == bytes));
      AddressTerms terms = terms_of(getLoadStorePointerOperand(&i), layout);
      const auto first = static_cast<int64_t>(terms.constant);
      accesses_.push_back({&i, std::move(terms), {first, first + bytes}, is_member, is_read_by_lanes});
      if (load) take_table(accesses_.back());
      if (accesses_.size() > kMostAccesses) return false;
      stores += store && is_member;
    }
    if (stores < 2 || !find_ends()) return false;
    begin_at_records();
    lift_addresses();
    for (auto i = first_->getIterator(); &*i != last_; ++i) ++size;
    return size <= kMostInstructions && find_questions() && !questions_.empty();
  }

  void version() {
    BasicBlock* piece = SplitBlock(&block_, first_);
    BasicBlock* behind = SplitBlock(piece, last_->getNextNode());
    for (Instruction& i : *piece) hand_on(i, *behind);
    CopiedBlocks copied(piece, ".apart");
    copied.join_exits();
    BasicBlock* copy = copied.of(piece);
    for (Instruction& i : make_early_inc_range(*piece))
      if (isa<StoreInst>(i)) cast<Instruction>(copied.of(&i))->moveBefore(copy->getTerminator());
    Instruction* end = block_.getTerminator();
    IRBuilder<> b(end);
    b.CreateCondBr(all_apart(b), copy, piece);
    end->eraseFromParent();
  }

 private:
  // `table[in[i]]` by bytes reads all that they may count.
  void take_table(Access& load) const {
    erase_if(load.terms.terms, [&](const Term& term) {
      if (!shapes_[term.value].is_varying() || !term.value->getType()->isIntegerTy()) return false;
      const bool is_signed = term.extension != AddressTerms::Zero;
      const ConstantRange range = computeConstantRange(term.value, is_signed);
      const APInt least = is_signed ? range.getSignedMin() : range.getUnsignedMin(),
                  most = is_signed ? range.getSignedMax() : range.getUnsignedMax();
      const auto factor = static_cast<int64_t>(term.factor);
      if (range.isEmptySet() || (most - least).ugt(kLongestTable) || std::abs(factor) > kLongest) return false;
      const int64_t low = is_signed ? least.getSExtValue() : static_cast<int64_t>(least.getZExtValue()),
                    high = is_signed ? most.getSExtValue() : static_cast<int64_t>(most.getZExtValue());
      load.bytes.first += std::min(low * factor, high * factor);
      load.bytes.end += std::max(low * factor, high * factor);
      return load.is_read_by_lanes = true;
    });
  }

  // Lanes read behind the store of a member.
  bool find_ends() {
    bool reads_behind = false;
    for (const Access& access : accesses_) {
      if (!first_ && access.writes()) first_ = access.instruction;
      if (first_ && (access.is_member || access.is_read_by_lanes)) last_ = access.instruction;
      reads_behind |= first_ && access.is_read_by_lanes;
    }
    return reads_behind;
  }

  // What is read in front of the first store, of records that are read behind it, too: it would be read twice, and what
  // is made of it be none of the record's.
  void begin_at_records() {
    auto is_read_behind = [&](const Access& access) {
      return access.is_member && !access.writes() && any_of(accesses_, [&](const Access& other) {
               return other.is_member && !other.writes() && first_->comesBefore(other.instruction) &&
                      other.terms.has_same_terms(access.terms);
             });
    };
    const auto begin = find_if(accesses_, is_read_behind);
    if (begin != accesses_.end() && begin->instruction->comesBefore(first_)) first_ = begin->instruction;
  }

  // What is computed behind the first store without what is read there: indices of planes, `(channel * height + y) *
  // width + x`, as LLVM leaves them next to their use.
  void lift_addresses() const {
    SmallPtrSet<const Instruction*, 32> behind;
    for (Instruction& i : make_early_inc_range(make_range(first_->getIterator(), last_->getIterator()))) {
      const bool can_move =
          !i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i) &&
          none_of(i.operands(), [&](const Use& v) { return behind.contains(dyn_cast<Instruction>(v)); });
      if (can_move)
        i.moveBefore(first_);
      else
        behind.insert(&i);
    }
  }

  bool find_questions() {
    for (const Access& store : accesses_)
      for (const Access& load : accesses_) {
        if (!store.writes() || load.writes() || load.instruction->comesBefore(store.instruction)) continue;
        if (last_->comesBefore(load.instruction) || reads_constant(*load.instruction)) continue;
        if (!take(store, load)) return false;
      }
    return true;
  }

  static bool reads_constant(const Instruction& load) {
    if (load.hasMetadata(LLVMContext::MD_invariant_load)) return true;
    auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(getLoadStorePointerOperand(&load)));
    return variable && variable->isConstant();
  }

  bool take(const Access& store, const Access& load) {
    const Bytes written = store.bytes, read = load.bytes;
    const bool apart = written.end <= read.first || read.end <= written.first;
    if (store.terms.has_same_terms(load.terms)) return apart;
    Question question{{}, {}, written, read, 0, apart};
    copy_if(store.terms.terms, std::back_inserter(question.written_terms),
            [&](const Term& t) { return !is_contained(load.terms.terms, t); });
    copy_if(load.terms.terms, std::back_inserter(question.read_terms),
            [&](const Term& t) { return !is_contained(store.terms.terms, t); });
    for (const Term& t : concat<const Term>(question.written_terms, question.read_terms))
      if (!is_known(t)) return false;
    question.step = step_of(question.written_terms) - step_of(question.read_terms);
    question.may_be_same &= question.step == 0;
    auto known = find_if(questions_, [&](const Question& q) {
      return q.written_terms == question.written_terms && q.read_terms == question.read_terms;
    });
    if (known == questions_.end()) {
      questions_.push_back(std::move(question));
      return questions_.size() <= kMostAsked;
    }
    auto widen = [](Bytes& bytes, const Bytes& by) {
      bytes = {std::min(bytes.first, by.first), std::max(bytes.end, by.end)};
    };
    widen(known->written, written), widen(known->read, read);
    known->may_be_same &= apart;
    return true;
  }

  // In front of the piece, and the same for all lanes, or an index that counts them.
  bool is_known(const Term& term) const {
    const Value* value = value_of(term);
    if (!value) return false;
    auto* i = dyn_cast<Instruction>(value);
    const Shape shape = shapes_[value];
    const bool extends =
        term.extension == AddressTerms::None || shapes_.extends(value, term.extension == AddressTerms::Sign);
    const bool counts = shape.is_strided() && extends && value->getType()->isIntegerTy() &&
                        std::abs(shape.stride) <= kLongest && std::abs(static_cast<int64_t>(term.factor)) <= kLongest;
    return (shape.is_uniform() || counts) && (!i || i->getParent() != &block_ || i->comesBefore(first_));
  }

  // A function stands for what each call of it gives: one of them. Null: none stands in front of the piece.
  const Value* value_of(const Term& term) const {
    if (!isa<Function>(term.value)) return term.value;
    auto is_in_front = [&](const Instruction& i) {
      return i.getParent() != first_->getParent() || i.comesBefore(first_);
    };
    for (const BasicBlock* block : {&block_.getParent()->getEntryBlock(), &block_})
      for (const Instruction& i : *block) {
        auto* call = dyn_cast<IntrinsicInst>(&i);
        if (call && call->getCalledFunction() == term.value && is_in_front(i)) return call;
      }
    return nullptr;
  }

  int64_t step_of(ArrayRef<Term> terms) const {
    int64_t step = 0;
    for (const Term& term : terms) step += shapes_[value_of(term)].stride * static_cast<int64_t>(term.factor);
    return step;
  }

  // What is looked at behind the piece comes from it or from its copy.
  static void hand_on(Instruction& i, BasicBlock& behind) {
    auto is_behind = [&](const Use& use) { return cast<Instruction>(use.getUser())->getParent() != i.getParent(); };
    if (none_of(i.uses(), is_behind)) return;
    PHINode* phi = PHINode::Create(i.getType(), 2, "", behind.begin());
    i.replaceUsesWithIf(phi, [&](Use& use) { return is_behind(use) && use.getUser() != phi; });
    phi->addIncoming(&i, i.getParent());
  }

  // Lane 0's.
  Value* sum_of(IRBuilder<>& b, ArrayRef<Term> terms) const {
    Value* sum = b.getInt64(0);
    for (const Term& term : terms) {
      auto* value = const_cast<Value*>(value_of(term));
      Value* wide = value->getType()->isPointerTy()        ? b.CreatePtrToInt(value, b.getInt64Ty())
                    : term.extension == AddressTerms::Sign ? b.CreateSExt(value, b.getInt64Ty())
                                                           : b.CreateZExt(value, b.getInt64Ty());
      if (const int64_t stride = shapes_[value].stride)
        wide = b.CreateSub(
            wide, b.CreateMul(b.CreateZExt(emit_lane(b), b.getInt64Ty()), b.getInt64(static_cast<uint64_t>(stride))));
      sum = b.CreateAdd(sum, b.CreateMul(wide, b.getInt64(term.factor)));
    }
    return sum;
  }

  static Value* number(IRBuilder<>& b, int64_t value) { return ConstantInt::getSigned(b.getInt64Ty(), value); }

  Value* all_apart(IRBuilder<>& b) const {
    Value* all = b.getTrue();
    for (const Question& q : questions_) {
      Value* written = sum_of(b, q.written_terms);
      Value* distance = b.CreateSub(written, sum_of(b, q.read_terms));
      const int64_t to_last = q.step * (shapes_.group().lanes - 1);
      Value* above = b.CreateICmpSGE(distance, number(b, q.read.end - q.written.first - std::min<int64_t>(to_last, 0)));
      Value* below = b.CreateICmpSLE(distance, number(b, q.read.first - q.written.end - std::max<int64_t>(to_last, 0)));
      Value* apart = b.CreateOr(above, below);
      if (q.may_be_same) apart = b.CreateOr(apart, b.CreateIsNull(distance));
      all = b.CreateAnd(all, apart);
    }
    return all;
  }

  BasicBlock& block_;
  const Shapes& shapes_;
  SmallVector<Access, 16> accesses_;
  SmallVector<Question, kMostAsked> questions_;
  Instruction *first_ = nullptr, *last_ = nullptr;
};

// Cheaply asked, of most kernels in vain.
bool reads_between_stores(const BasicBlock& block) {
  unsigned stores = 0;
  bool reads = false;
  for (const Instruction& i : block) {
    stores += isa<StoreInst>(i);
    reads |= stores && isa<LoadInst>(i);
  }
  return reads && stores > 1;
}

}  // namespace

bool version_records(Function& kernel, const GroupShape& group) {
  SmallVector<BasicBlock*, 16> blocks;
  for (BasicBlock& block : kernel)
    if (reads_between_stores(block)) blocks.push_back(&block);
  if (group.lanes == 1 || blocks.empty()) return false;
  const Shapes shapes(kernel, group);
  unsigned versioned = 0;
  for (BasicBlock* block : blocks) {
    Piece piece(*block, shapes);
    if (versioned == kMostBlocks || !piece.find()) continue;
    piece.version();
    ++versioned;
  }
  return versioned != 0;
}

}  // namespace lanza::compiler
