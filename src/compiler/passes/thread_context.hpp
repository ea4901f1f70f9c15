// What a CUDA thread knows of itself: indices, kernel arguments, shared memory, the services of the launch.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/abi_types.hpp"

namespace lanza::compiler {

using Builder = llvm::IRBuilder<>;

inline constexpr char kLaunchChild[] = "__lanza_launch_child";  ///< of the prelude: launches a kernel
inline constexpr char kWait[] = "__lanza_wait";                 ///< void (): a loop of the block waits for other blocks

/// How code of one function reaches the context of its thread. Emits the values where the builder stands.
class ThreadContext {
 public:
  explicit ThreadContext(const AbiTypes& types) : types(types) {}
  virtual ~ThreadContext() = default;

  virtual llvm::Value* block(Builder&) = 0;  ///< LanzaBlock*
  virtual llvm::Value* tid(Builder&, unsigned axis) = 0;
  /// Before a call that ends the launch: keeps which thread it was, where the executor cannot know.
  virtual void note_thread(Builder&) {}
  virtual llvm::Value* launch(Builder&);
  virtual llvm::Value* arguments(Builder&);
  virtual llvm::Value* ctaid(Builder&, unsigned axis);
  virtual llvm::Value* ntid(Builder&, unsigned axis);
  virtual llvm::Value* nctaid(Builder&, unsigned axis);
  virtual llvm::Value* shared(Builder&);
  virtual llvm::Value* dynamic_shared(Builder&);
  virtual llvm::Value* globals(Builder&);
  virtual llvm::Value* launch_flags(Builder&);  ///< LanzaLaunchFlags

  /// Where a value is computed: once at this instruction (a loop over lanes wants uniform values outside), or, when
  /// null, again before each use (a coroutine wants nothing live across a suspend).
  llvm::Instruction* once = nullptr;

  const AbiTypes& types;

 protected:
  /// A load that any other place of the kernel could do as well: block and launch do not change while the thread lives.
  llvm::Value* load(Builder&, llvm::StructType*, llvm::Value* base, unsigned field, int axis = -1);
};

/// The context in a LanzaRecord: the thread engine's promise, or the hidden parameter of functions that are not
/// inlined.
class RecordContext : public ThreadContext {
 public:
  RecordContext(const AbiTypes& types, llvm::Value* record) : ThreadContext(types), record_(record) {}
  llvm::Value* block(Builder&) override;
  llvm::Value* tid(Builder&, unsigned axis) override;

 private:
  llvm::Value* record_;
};

/// A call of the executor's, LanzaServices::`field`.
llvm::CallInst* call_service(Builder&, ThreadContext&, llvm::Type* result, unsigned field,
                             llvm::ArrayRef<llvm::Value*> arguments);

/// Replaces special registers, base addresses and calls of the device runtime (printf, malloc, free, assert, trap,
/// clock) in `function`.
void lower_context(llvm::Function& function, ThreadContext& context);

/// Where an argument lies in the packed argument block; a struct by value is there itself.
struct ArgumentPlace {
  llvm::Type* type = nullptr;
  llvm::Align align;
  std::uint64_t offset = 0;
};
llvm::SmallVector<ArgumentPlace, 8> places_of_arguments(const llvm::Function& kernel);

/// A member of a structure by value that the kernel only reads.
struct ArgumentMember {
  const llvm::Argument* parameter;
  std::uint64_t offset;
};
std::optional<ArgumentMember> loaded_member(const llvm::Value& loaded);

/// Replaces the parameters of `kernel`, whose body now is in another function, by loads from the packed argument block.
/// A struct by value that the kernel changes is copied at `thread_entry`, once a thread.
void lower_arguments(llvm::Function& kernel, ThreadContext& context, llvm::Instruction* thread_entry);

/// Replaces every use of `value` by what `emit` gives, at `once` or before each use.
void replace_uses(llvm::Value& value, llvm::Instruction* once, llvm::function_ref<llvm::Value*(Builder&)> emit);

/// True when the memory behind `pointer` is only loaded from, so that all threads may share it.
bool is_only_read(const llvm::Value& pointer);

/// Moves the body of `source` behind the blocks of `target`, with its attributes and debug information; allocas go to
/// `target`'s entry block. Returns the first block of the body. Conditions that the user promises
/// (`__builtin_unreachable()` behind a question, too) are forgotten: of one thread that breaks them LLVM would conclude
/// that loops over threads end before it, or never.
llvm::BasicBlock* take_body(llvm::Function& source, llvm::Function& target);

/// Marks a load as repeatable: see kContextMark.
void mark_context(llvm::LoadInst& load, bool invariant);

}  // namespace lanza::compiler
