#include "compiler/passes/vector/analysis/erased_values.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/ErrorHandling.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_watching = false;

struct ErasedValues::Known {
  /// Tells of its value's end.
  struct Handle : CallbackVH {
    Handle(Value& value, Known& in) : CallbackVH(&value), known(in) {}
    void deleted() override {
      known.is_one_erased = true;
      CallbackVH::deleted();
    }
    Known& known;
  };

  void add(Value& value) { handles[&value] = std::make_unique<Handle>(value, *this); }

  const char* of;
  bool is_one_erased = false;
  DenseMap<const Value*, std::unique_ptr<Handle>> handles;
};

void ErasedValues::watch() { is_watching = true; }

ErasedValues::ErasedValues(Function& function, const char* of) {
  if (!is_watching) return;
  known_ = std::make_unique<Known>();
  known_->of = of;
  for (BasicBlock& block : function) {
    known_->add(block);
    for (Instruction& i : block) known_->add(i);
  }
}

ErasedValues::ErasedValues() = default;
ErasedValues::~ErasedValues() = default;
ErasedValues::ErasedValues(ErasedValues&&) noexcept = default;
ErasedValues& ErasedValues::operator=(ErasedValues&&) noexcept = default;

void ErasedValues::forget(const Value& value) {
  if (known_) known_->handles.erase(&value);
}

void ErasedValues::check() const {
  if (known_->is_one_erased) report_fatal_error(Twine(known_->of) + " asked after a value of theirs was erased");
}

}  // namespace lanza::compiler
