// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, activemask, bar.warp.sync's kin.
#include "compiler/passes/ptx/instructions.hpp"
#include "compiler/sync_kinds.h"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

void need_sync(Emitter& e) {
  if (!e.take("sync"))
    e.fail(e.instruction().name + " without .sync is not there since compute capability 7.0: use its .sync form");
}

void write_second(Emitter& e, Value* flag) {
  if (!e.operand(0).second.empty()) e.write_predicate(e.operand(0).second[0], flag);
}

void shfl(Emitter& e) {
  e.take_type();
  need_sync(e);
  const StringRef how = e.need_one({"up", "down", "bfly", "idx"});
  e.expect_operands(5);
  // The source lane, and in bit 5 whether it lies within the segment.
  Value* source = e.helper("shfl_" + how, kWord, {e.read(2, kWord), e.read(3, kWord)});
  Value* lane = e.b.CreateAnd(source, 31);
  Value* result = e.helper("shfl", kWord, {e.read(4, kWord), e.read(1, kWord), lane});
  if (!e.is_sink(e.operand(0))) e.write(result, kWord);
  write_second(e, e.b.CreateICmpUGT(source, e.b.getInt32(31)));
}

void vote(Emitter& e) {
  const Type type = e.take_type();
  need_sync(e);
  const StringRef how = e.need_one({"all", "any", "uni", "ballot"});
  e.expect_operands(3);
  Value* flag = e.b.CreateZExt(e.read_predicate(e.operand(1)), e.b.getInt32Ty());
  Value* result = e.helper("vote_" + how, kWord, {e.read(2, kWord), flag});
  if (type.kind == Type::Predicate) return e.write_predicate(e.operand(0), e.b.CreateIsNotNull(result));
  e.write(result, kWord);
}

void match(Emitter& e) {
  const Type type = e.take_type();
  need_sync(e);
  const StringRef how = e.need_one({"any", "all"});
  e.expect_operands(3);
  Value* value = e.b.CreateZExt(e.read(1, type), e.b.getInt64Ty());
  Value* result = e.helper("match_" + how, kWord, {e.read(2, kWord), value});
  e.write(result, kWord);
  write_second(e, e.b.CreateIsNotNull(result));
}

void activemask(Emitter& e) {
  e.take_type();
  e.expect_operands(1);
  e.write(e.helper("activemask", kWord, {}), kWord);
}

void redux(Emitter& e) {
  const Type type = e.take_type();
  need_sync(e);
  const StringRef how = e.need_one({"add", "min", "max", "and", "or", "xor"});
  if (type.size() != 32 || !type.is_integer()) e.fail("redux.sync reduces 32-bit integers");
  e.expect_operands(3);
  const bool of_signed = type.is_signed();
  const unsigned operation = how == "add"   ? LANZA_REDUCE_ADD
                             : how == "and" ? LANZA_REDUCE_AND
                             : how == "or"  ? LANZA_REDUCE_OR
                             : how == "xor" ? LANZA_REDUCE_XOR
                             : how == "min" ? (of_signed ? LANZA_REDUCE_MIN_SIGNED : LANZA_REDUCE_MIN_UNSIGNED)
                                            : (of_signed ? LANZA_REDUCE_MAX_SIGNED : LANZA_REDUCE_MAX_UNSIGNED);
  e.write(e.helper("redux_" + Twine(operation), kWord, {e.read(2, kWord), e.read(1, kWord)}), kWord);
}

// The lowest lane of the mask leads.
void elect(Emitter& e) {
  need_sync(e);
  e.expect_operands(2);
  Value* leader = e.helper("elect", kWord, {e.read(1, kWord)});
  if (!e.is_sink(e.operand(0))) e.write(leader, kWord);
  write_second(e, e.b.CreateICmpEQ(leader, special_register(e, "%laneid")));
}

}  // namespace

void add_warp_operations(Instructions& table) {
  table["shfl"] = shfl;
  table["vote"] = vote;
  table["match"] = match;
  table["activemask"] = activemask;
  table["redux"] = redux;
  table["elect"] = elect;
}

}  // namespace lanza::compiler::ptx
