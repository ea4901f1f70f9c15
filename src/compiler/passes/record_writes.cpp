#include "compiler/passes/record_writes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr char kRecordWrite[] = "lanza.record.write";
constexpr size_t kMostWrites = 64;  // that are looked at together
constexpr uint64_t kMostBytes = 1024;

/// A store, or a copy of memory, which is what LLVM leaves of members that nobody looks at.
struct Part {
  Instruction* write;
  int64_t begin, end;
  bool may_go;  ///< when it is simplified, as it changes nothing
};

/// Writes to one base, with nothing between them at which another thread might come in.
struct Record {
  AddressTerms terms;
  SmallVector<Part, 8> parts;
};

// Whether the value is what was loaded from the same place: LLVM will drop the store if nothing has changed it since.
bool may_go(const StoreInst& store, const AddressTerms& terms) {
  auto* load = dyn_cast<LoadInst>(store.getValueOperand());
  if (!load || !load->isSimple()) return false;
  const AddressTerms from = terms_of(load->getPointerOperand(), store.getDataLayout());
  return from.constant == terms.constant && from.has_same_terms(terms);
}

bool may_synchronise(const Instruction& i) {
  if (i.isAtomic() || i.isVolatile()) return true;
  return isa<CallBase>(i) && !isa<MemIntrinsic>(i) && i.mayReadOrWriteMemory() && !i.isLifetimeStartOrEnd();
}

class Records {
 public:
  void note(BasicBlock& block) {
    for (Instruction& i : block) {
      if (may_synchronise(i)) end();
      if (auto* store = dyn_cast<StoreInst>(&i); store && store->isSimple()) add(*store);
      if (auto* copy = dyn_cast<MemCpyInst>(&i); copy && !copy->isVolatile()) add(*copy);
    }
    end();
  }

 private:
  void add(StoreInst& store) {
    const DataLayout& layout = store.getDataLayout();
    const AddressTerms terms = terms_of(store.getPointerOperand(), layout);
    const TypeSize bytes = layout.getTypeStoreSize(store.getValueOperand()->getType());
    add(store, terms, static_cast<int64_t>(bytes.getFixedValue()), may_go(store, terms));
  }

  void add(MemCpyInst& copy) {
    if (auto* length = dyn_cast<ConstantInt>(copy.getLength()); length && length->getValue().ule(kMostBytes))
      add(copy, terms_of(copy.getRawDest(), copy.getDataLayout()), length->getSExtValue(), /*may_go=*/true);
  }

  void add(Instruction& write, const AddressTerms& terms, int64_t bytes, bool may_go) {
    auto* record = find_if(records_, [&](const Record& known) { return known.terms.has_same_terms(terms); });
    if (record == records_.end()) {
      if (records_.size() == kMostWrites) return;
      record = &records_.emplace_back(Record{terms, {}});
    }
    const auto at = static_cast<int64_t>(terms.constant);
    if (record->parts.size() < kMostWrites) record->parts.push_back({&write, at, at + bytes, may_go});
  }

  // Parts that lie side by side without a gap are one whole.
  void end() {
    for (Record& record : records_) {
      stable_sort(record.parts, [](const Part& a, const Part& b) { return a.begin < b.begin; });
      for (ArrayRef<Part> rest = record.parts; !rest.empty();) {
        size_t count = 1;
        int64_t end = rest[0].end;
        for (; count < rest.size() && rest[count].begin <= end; ++count) end = std::max(end, rest[count].end);
        mark(rest.take_front(count), end);
        rest = rest.drop_front(count);
      }
    }
    records_.clear();
  }

  static void mark(ArrayRef<Part> parts, int64_t end) {
    auto may_go = [](const Part& part) { return part.may_go; };
    if (none_of(parts, may_go) || all_of(parts, may_go)) return;
    LLVMContext& context = parts[0].write->getContext();
    auto number = [&](int64_t value) {
      return ConstantAsMetadata::get(ConstantInt::getSigned(Type::getInt64Ty(context), value));
    };
    const int64_t begin = parts[0].begin;
    for (const Part& part : parts)
      part.write->setMetadata(kRecordWrite, MDNode::get(context, {number(part.begin - begin), number(end - begin)}));
  }

  SmallVector<Record, 4> records_;
};

}  // namespace

std::optional<RecordWrite> record_write(const Instruction& store) {
  const MDNode* noted = store.getMetadata(kRecordWrite);
  if (!noted) return {};
  auto number = [&](unsigned n) { return mdconst::extract<ConstantInt>(noted->getOperand(n))->getSExtValue(); };
  return RecordWrite{number(0), number(1)};
}

void forget_record_write(Instruction& store) { store.setMetadata(kRecordWrite, nullptr); }

PreservedAnalyses NoteRecordWritesPass::run(Function& function, FunctionAnalysisManager&) {
  for (BasicBlock& block : function) Records().note(block);
  return PreservedAnalyses::all();
}

}  // namespace lanza::compiler
