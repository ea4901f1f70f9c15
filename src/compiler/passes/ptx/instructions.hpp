// The translators of PTX's instructions, by name.
#pragma once

#include "compiler/passes/ptx/emitter.hpp"

namespace lanza::compiler::ptx {

/// Translates e.instruction(). Fails where it cannot.
using Translate = void (*)(Emitter& e);
using Instructions = llvm::StringMap<Translate>;

void add_arithmetic(Instructions& table);         // add, sub, mul, mad, fma, div, min, max, abs, neg: of all types
void add_integer_functions(Instructions& table);  // mul24, sad, popc, bfind, dp4a, ...
void add_carry(Instructions& table);              // addc, subc, madc
void add_bits(Instructions& table);               // and, lop3, shifts, prmt, bfe, ...
void add_float_functions(Instructions& table);    // rcp, sqrt, ex2, testp, ...
void add_comparisons(Instructions& table);        // setp, selp, set, slct
void add_conversions(Instructions& table);        // cvt
void add_moves(Instructions& table);              // mov, cvta, isspacep
void add_memory(Instructions& table);             // ld, st, prefetch
void add_atomics(Instructions& table);            // atom, red, membar, fence
void add_warp_operations(Instructions& table);    // shfl, vote, match, redux, elect, activemask
void add_barriers(Instructions& table);           // bar, barrier, nanosleep
void add_mbarriers(Instructions& table);          // mbarrier

// Shared by several of them.

/// add.cc, sub.cc, mad.cc: the forms of arithmetic that set the carry flag.
void translate_carry(Emitter& e);
/// What an operation with .sat gives: clamped to [0, 1], NaN is 0.
llvm::Value* saturate(Emitter& e, llvm::Value* value);
/// .ftz: a subnormal float is a zero of its sign.
llvm::Value* flush(Emitter& e, llvm::Value* value);
/// The larger (or smaller) of two, by PTX's rules for NaN and zeros.
llvm::Value* float_extremum(Emitter& e, bool maximum, bool propagate_nan, llvm::Value* a, llvm::Value* b);
/// A floating-point operation of one, two or three operands in a given direction, by the prelude's functions.
llvm::Value* directed(Emitter& e, llvm::StringRef operation, Type type, Rounding rounding,
                      llvm::ArrayRef<llvm::Value*> operands);
/// Reads operand `i` as `type`, flushed where asked.
llvm::Value* read_flushed(Emitter& e, unsigned i, Type type, bool ftz);
/// The pointer of an address operand in the state space `space` ("shared"; empty: generic).
llvm::Value* pointer_of(Emitter& e, const Operand& operand, llvm::StringRef space);
/// The start of the block's shared memory.
llvm::Value* shared_base(Emitter& e);
/// The state space of an instruction that reads or writes memory; empty: generic.
llvm::StringRef take_space(Emitter& e);
/// Cache operators and eviction priorities: they change no result. True: a cache policy is the last operand.
bool take_cache_hints(Emitter& e);

}  // namespace lanza::compiler::ptx
