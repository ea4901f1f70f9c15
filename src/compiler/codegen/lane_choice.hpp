// How many lanes the groups of a kernel have, before it is looked at more closely.
#pragma once

#include <array>
#include <cstdint>

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/interface.h"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Blocks of which none fills a group by half.
inline bool is_tiny_block(const std::uint32_t (&block)[3]) { return std::uint64_t{block[0]} * block[1] * block[2] < 4; }

/// For a request: `block` as fold_rows.hpp has folded it, the kernel nvptx64 no more.
class LaneChoice {
 public:
  LaneChoice(const LanzaSpecialiseRequest& request, const std::array<unsigned, 3>& block, llvm::Function& kernel,
             const llvm::TargetMachine& host)
      : request_(request), block_(block), kernel_(kernel), host_(host) {}

  /// See fill_registers() for narrower ones; less for a block that does not fill them.
  unsigned wanted() const;
  /// Whether passes may choose others.
  bool are_free(const GroupShape& group, bool has_warps) const;
  /// Of registers of bytes and shorts; 0: it has none that are worth other groups.
  unsigned register_bits() const;
  /// What is left to code by flat indices are launches with short rows: of groups that fill two registers it is two to
  /// three times as long as of one (a step of diffusion 450 ms to compile, and 170), and no faster.
  GroupShape beside_planes(const GroupShape& group) const;

 private:
  unsigned usual() const;
  unsigned of_rows(unsigned most) const;
  std::uint64_t block_size() const { return std::uint64_t{request_.block[0]} * request_.block[1] * request_.block[2]; }

  const LanzaSpecialiseRequest& request_;
  const std::array<unsigned, 3> block_;
  llvm::Function& kernel_;
  const llvm::TargetMachine& host_;
};

}  // namespace lanza::compiler
