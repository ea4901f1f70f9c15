// nvptx64 IR becomes IR for the host.
#pragma once

#include <cstdint>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

inline constexpr char kSharedBase[] = "__lanza_shared";                   ///< ptr (): shared memory of the block
inline constexpr char kStaticShared[] = "__lanza_static_shared_bytes";    ///< i32 (): size of the block's static part
inline constexpr char kDynamicShared[] = "__lanza_dynamic_shared_bytes";  ///< i32 (): size of what the launch asked for
inline constexpr char kGlobalsBase[] = "__lanza_globals";                 ///< ptr (): the module's data segment
inline constexpr char kSharedBytes[] = "lanza.shared_bytes";  ///< module flag: static shared memory, a multiple of 64
inline constexpr char kSharedGaps[] =
    "lanza.shared_gaps";  ///< module flag: a tuple of what no variable of it fills, an offset and a size in turn
inline constexpr char kUsesDynamicShared[] =
    "lanza.uses_dynamic_shared";  ///< module flag: 1 where there are dynamic shared variables
inline constexpr char kContextMark[] =
    "lanza.context";  ///< metadata: a load that may be repeated anywhere in the kernel
inline constexpr char kOffsetMetadata[] = "lanza.offset";  ///< metadata on globals: offset in the data segment

/// In: nvptx64 IR. Out: the host's triple, layout and attributes; one address space; shared variables are offsets from
/// __lanza_shared() (dynamic ones behind the static ones), device variables offsets from __lanza_globals(), other
/// constants stay in the object. Only synchronisation points stay convergent. Atomics on shared memory are plain
/// operations, as one worker runs a block; others that are relaxed and not volatile, as the front end writes the
/// system's scope, get device_scope(). Module flags lanza.shared_bytes,
/// lanza.shared_gaps, lanza.uses_dynamic_shared.
struct RetargetPass : llvm::PassInfoMixin<RetargetPass> {
  llvm::TargetMachine* host = nullptr;
  /// Atomics on shared memory stay atomic, for one thread: lanes that run at once must take turns. See
  /// lower_block_atomics().
  bool keep_shared_atomics = false;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Of atomics that only kernels take part in, and that order nothing else.
llvm::SyncScope::ID device_scope(llvm::LLVMContext& context);

/// Of lanza.shared_gaps: first bytes and sizes.
llvm::SmallVector<std::pair<uint64_t, uint64_t>, 4> shared_gaps(const llvm::Module& module);

/// Whether an address is seen to lie in the block's shared memory.
bool is_shared_memory(const llvm::Value* address);

/// Metadata of the load in a plain operation that stands for an atomic one: each thread finds what the one before left,
/// at whatever address.
inline constexpr char kFound[] = "lanza.found";

/// Atomics for one thread, as RetargetPass keeps them, become plain operations.
void lower_block_atomics(llvm::Function& function);
void lower_block_atomics(llvm::BasicBlock& block);

}  // namespace lanza::compiler
