#include "compiler/passes/vector/run/transposition.hpp"

#include <numeric>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

Value* shuffled(IRBuilderBase& b, Value* low, Value* high, function_ref<int(int)> from) {
  SmallVector<int, 32> mask;
  const auto lanes = static_cast<int>(cast<FixedVectorType>(low->getType())->getNumElements());
  for (int i = 0; i < lanes; ++i) mask.push_back(from(i));
  return b.CreateShuffleVector(low, high, mask);
}

// One lane of what is computed for all lanes, by scalars alone; null: not of those.
Value* as_scalar(IRBuilderBase& b, Value* vector, unsigned lane) {
  if (!vector->getType()->isVectorTy()) return vector;
  if (auto* constant = dyn_cast<Constant>(vector)) return constant->getAggregateElement(lane);
  if (Value* same = getSplatValue(vector)) return same;
  Value *x = nullptr, *y = nullptr, *factor = nullptr;
  auto combine = [&](Value* first, Value* second, auto&& operation) -> Value* {
    Value* left = as_scalar(b, first, lane);
    Value* right = left ? as_scalar(b, second, lane) : nullptr;
    return right ? operation(left, right) : nullptr;
  };
  auto add = [&](Value* left, Value* right) { return b.CreateAdd(left, right); };
  auto multiply = [&](Value* left, Value* right) { return b.CreateMul(left, right); };
  if (auto* address = dyn_cast<GetElementPtrInst>(vector); address && address->getNumIndices() == 1)
    return combine(address->getPointerOperand(), address->getOperand(1), [&](Value* base, Value* index) {
      return b.CreateGEP(address->getSourceElementType(), base, index);
    });
  if (auto* cast = dyn_cast<CastInst>(vector); isa_and_nonnull<SExtInst, ZExtInst>(cast)) {
    Value* narrow = as_scalar(b, cast->getOperand(0), lane);
    return narrow ? b.CreateCast(cast->getOpcode(), narrow, cast->getType()->getScalarType()) : nullptr;
  }
  // Of (x + lane) * factor all lanes share x * factor.
  if (match(vector, m_Mul(m_Add(m_Value(x), m_Value(y)), m_Value(factor)))) {
    Value* times = as_scalar(b, factor, lane);
    return times ? combine(x, y, [&](Value* l, Value* r) { return add(multiply(l, times), multiply(r, times)); })
                 : nullptr;
  }
  if (match(vector, m_Add(m_Value(x), m_Value(y))) || match(vector, m_DisjointOr(m_Value(x), m_Value(y))))
    return combine(x, y, add);
  return match(vector, m_Mul(m_Value(x), m_Value(y))) ? combine(x, y, multiply) : nullptr;
}

// One behind the other in one register.
Value* joined(IRBuilderBase& b, SmallVector<Value*, 8> rows) {
  while (rows.size() > 1) {
    SmallVector<Value*, 8> wider;
    for (size_t k = 0; k < rows.size(); k += 2) {
      SmallVector<int, 32> all(size_t{2} * cast<FixedVectorType>(rows[k]->getType())->getNumElements());
      std::iota(all.begin(), all.end(), 0);
      wider.push_back(b.CreateShuffleVector(rows[k], rows[k + 1], all));
    }
    rows = std::move(wider);
  }
  return rows[0];
}

}  // namespace

Value* in_lane(IRBuilderBase& b, Value* vector, unsigned lane) {
  Value* scalar = as_scalar(b, vector, lane);
  return scalar ? scalar : b.CreateExtractElement(vector, lane);
}

// The squares of 4 x 4 words in each four registers: interleaved words, then interleaved pairs, an instruction each.
// The general way is twelve on AVX2, for what is eight here.
static void transpose_words(IRBuilderBase& b, MutableArrayRef<Value*> registers) {
  const auto lanes = static_cast<int>(cast<FixedVectorType>(registers[0]->getType())->getNumElements());
  auto words = [&](Value* x, Value* y, int from) {
    return shuffled(b, x, y, [&](int i) { return i / 4 * 4 + from + i % 4 / 2 + (i % 2 ? lanes : 0); });
  };
  auto pairs = [&](Value* x, Value* y, int from) {
    return shuffled(b, x, y, [&](int i) { return i / 4 * 4 + from + i % 2 + (i % 4 / 2 ? lanes : 0); });
  };
  for (size_t q = 0; q < registers.size(); q += 4) {
    MutableArrayRef<Value*> rows = registers.slice(q, 4);
    Value *low = words(rows[0], rows[1], 0), *high = words(rows[0], rows[1], 2);
    Value *next_low = words(rows[2], rows[3], 0), *next_high = words(rows[2], rows[3], 2);
    rows[0] = pairs(low, next_low, 0);
    rows[1] = pairs(low, next_low, 2);
    rows[2] = pairs(high, next_high, 0);
    rows[3] = pairs(high, next_high, 2);
  }
}

void transpose_squares(IRBuilderBase& b, MutableArrayRef<Value*> registers) {
  const auto n = static_cast<int>(registers.size());
  auto* type = cast<FixedVectorType>(registers[0]->getType());
  const auto lanes = static_cast<int>(type->getNumElements());
  const bool by_words = n >= 4 && type->getScalarSizeInBits() == 32;
  for (int half = n / 2; half > (by_words ? 2 : 0); half /= 2)
    for (int q = 0; q < n; ++q) {
      if (q & half) continue;
      Value *low = registers[q], *high = registers[q + half];
      registers[q] = shuffled(b, low, high, [&](int i) { return i & half ? lanes + i - half : i; });
      registers[q + half] = shuffled(b, low, high, [&](int i) { return i & half ? lanes + i : i + half; });
    }
  if (by_words) transpose_words(b, registers);
}

// Register q begins with the rows q, q + n, q + 2n ... one behind the other.
SmallVector<Value*, 16> transpose_rows(IRBuilderBase& b, unsigned lanes, unsigned n,
                                       function_ref<Value*(unsigned)> row_of) {
  SmallVector<Value*, 16> registers;
  for (unsigned q = 0; q < n; ++q) {
    SmallVector<Value*, 8> rows;
    for (unsigned lane = q; lane < lanes; lane += n) rows.push_back(row_of(lane));
    registers.push_back(joined(b, std::move(rows)));
  }
  transpose_squares(b, registers);
  return registers;
}

}  // namespace lanza::compiler
