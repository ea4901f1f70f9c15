#include "compiler/passes/vector/groups/grid_turns.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/groups/argument_values.hpp"
#include "compiler/passes/vector/groups/end_grid_loop.hpp"
#include "compiler/passes/vector/groups/independent_turns.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

// Indices of 32 bits do not wrap, neither one step behind the last turn nor where a constant is added.
constexpr uint64_t kMostTurns = uint64_t{1} << 29, kMostConstant = uint64_t{1} << 28;

bool is_plain(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  auto* store = dyn_cast<StoreInst>(&i);
  return !store || store->isSimple();
}

bool is_index(const Value* v, const PHINode* index) { return v == index || match(v, m_ZExtOrSExt(m_Specific(index))); }

/// What an access of any turn reaches: `first + size * index` bytes behind the array's beginning.
struct Reach {
  const Argument* array;
  int64_t first;
  uint64_t size, width;
};

// `index + constant`, in any type.
std::optional<int64_t> constant_beside(const Value* v, const PHINode* index) {
  if (is_index(v, index)) return 0;
  const bool is_unsigned = isa<ZExtInst>(v);
  if (auto* extension = dyn_cast<CastInst>(v); extension && isa<ZExtInst, SExtInst>(extension))
    v = extension->getOperand(0);
  const APInt* constant;
  if (!match(v, m_c_Add(m_Specific(index), m_APInt(constant)))) return {};
  const bool is_small = constant->abs().ule(kMostConstant) && !(is_unsigned && constant->isNegative());
  return is_small ? std::optional(constant->getSExtValue()) : std::nullopt;
}

// Nothing: no launch can tell.
std::optional<Reach> reach_of(Instruction& access, const PHINode* index) {
  const auto place = array_place(access);
  if (!place || place->steps.size() > 1 || place->first.abs().ugt(kMostConstant)) return {};
  const uint64_t width = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
  Reach reach{place->array, place->first.getSExtValue(), 0, width};
  if (place->steps.empty()) return reach;
  const auto& [step, size] = place->steps.front();
  const auto constant = constant_beside(step, index);
  if (!constant || !size.isStrictlyPositive() || size.ugt(kMostConstant)) return {};
  reach.size = size.getZExtValue();
  reach.first += *constant * static_cast<int64_t>(reach.size);
  return reach;
}

/// Arrays that have to lie apart, and how far they are used.
struct Apart {
  const Argument* written;
  uint64_t size;
  Reach other;
};

// Nothing: turns go in order.
std::optional<SmallVector<Apart, 4>> may_be_in_any_order(Function& kernel, const PHINode* index) {
  if (!all_of(instructions(kernel), is_plain)) return {};
  const auto arrays = independent_turns(kernel, [&](const Value* v) { return is_index(v, index); });
  if (!arrays) return {};
  SmallVector<Apart, 4> all;
  for (const ApartArrays& each : *arrays) {
    const auto other = reach_of(*each.other, index);
    if (!other) return {};
    all.push_back({each.array, each.size, *other});
  }
  return all;
}

class GridTurns {
 public:
  GridTurns(Module& module, const Function& kernel, unsigned block_size)
      : function_(*Function::Create(type_of(module.getContext()), GlobalValue::ExternalLinkage, kBlocks, module)),
        b_(BasicBlock::Create(module.getContext(), "", &function_)),
        values_(b_, function_.getArg(1), kernel, [this](Value* holds) { ask(holds); }),
        block_size_(block_size) {
    function_.setDoesNotThrow();
  }

  void build(Value* count, const std::optional<SmallVector<Apart, 4>>& in_any_order) {
    Value* asked_for = extent(0);
    ask(b_.CreateICmpEQ(b_.CreateMul(extent(1), extent(2)), number(1)));
    Value* turns = values_.number(count);
    ask(b_.CreateICmpULT(b_.CreateSub(turns, number(1)), number(kMostTurns)));
    Value* may = b_.CreateICmpULE(turns, b_.CreateMul(asked_for, number(block_size_)));
    if (in_any_order) may = b_.CreateOr(may, lie_apart(*in_any_order, turns));
    ask(may);
    Value* blocks = b_.CreateUDiv(b_.CreateAdd(turns, number(block_size_ - 1)), number(block_size_));
    b_.CreateRet(b_.CreateTrunc(b_.CreateSelect(holds_, blocks, asked_for), b_.getInt32Ty()));
  }

 private:
  static FunctionType* type_of(LLVMContext& c) {
    auto* pointer = PointerType::getUnqual(c);
    return FunctionType::get(Type::getInt32Ty(c), {pointer, pointer}, false);
  }
  Value* number(uint64_t value) { return b_.getInt64(value); }
  void ask(Value* holds) { holds_ = b_.CreateAnd(holds_, holds); }
  Value* extent(unsigned axis) {
    Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), function_.getArg(0), axis);
    return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), place), b_.getInt64Ty());
  }

  Value* lie_apart(ArrayRef<Apart> arrays, Value* turns) {
    Value *all = b_.getTrue(), *last = b_.CreateSub(turns, number(1));
    for (const auto& [written, size, other] : arrays) {
      Value *begin = values_.address(*written), *end = b_.CreateAdd(begin, b_.CreateMul(turns, number(size)));
      Value* other_begin = b_.CreateAdd(values_.address(*other.array), number(other.first));
      Value* other_end = b_.CreateAdd(b_.CreateMul(last, number(other.size)), number(other.width));
      other_end = b_.CreateAdd(other_begin, other_end);
      all = b_.CreateAnd(all, b_.CreateOr(b_.CreateICmpULE(end, other_begin), b_.CreateICmpULE(other_end, begin)));
    }
    return all;
  }

  Function& function_;
  Builder b_;
  ArgumentValues values_;
  const unsigned block_size_;
  Value* holds_ = b_.getTrue();
};

}  // namespace

std::unique_ptr<Module> make_grid_turns(Function& kernel, unsigned block_size) {
  const auto loop = find_grid_loop(kernel, block_size);
  if (!loop) return nullptr;
  auto module = std::make_unique<Module>(kBlocks, kernel.getContext());
  module->setDataLayout(kernel.getDataLayout());
  GridTurns(*module, kernel, block_size).build(loop->count, may_be_in_any_order(kernel, loop->index));
  StripDebugInfo(*module);
  return module;
}

}  // namespace lanza::compiler
