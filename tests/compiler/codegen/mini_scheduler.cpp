#include "mini_scheduler.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace lanza::compiler::testing {

namespace {

class Block {
 public:
  Block(LanzaBlock& block, const LanzaThreads& threads) : block_(block), threads_(threads) {
    const uint32_t* size = block.launch->block;
    const uint64_t align = std::max<uint64_t>(threads.frame_align, 16);
    stride_ = (threads.frame_bytes + align - 1) / align * align;
    count_ = size[0] * size[1] * size[2];
    memory_.reset(static_cast<char*>(std::aligned_alloc(align, stride_ * count_)));
    state_.assign(count_, kRunning);
    unsigned t = 0;
    for (uint32_t z = 0; z < size[2]; ++z)
      for (uint32_t y = 0; y < size[1]; ++y)
        for (uint32_t x = 0; x < size[0]; ++x, ++t) {
          threads.start(frame(t), &block, x, y, z);
          settle(t);
        }
  }

  /// True when all threads end.
  bool run() {
    for (;;) {
      bool any = false;
      for (unsigned t = 0; t < count_; ++t) {
        if (state_[t] != kRunning) continue;
        any = true;
        resume(t);
        settle(t);
      }
      if (std::all_of(state_.begin(), state_.end(), [](State s) { return s == kDone; })) return true;
      if (!fire() && !any) return false;
    }
  }

 private:
  enum State { kRunning, kWaiting, kDone };

  LanzaFrame* frame(unsigned t) { return reinterpret_cast<LanzaFrame*>(memory_.get() + t * stride_); }
  LanzaRecord& record(unsigned t) { return frame(t)->record; }

  void resume(unsigned t) {
    LanzaFrame* f = threads_.nested ? reinterpret_cast<LanzaNestedRecord&>(record(t)).current : frame(t);
    f->resume(f);
  }
  void settle(unsigned t) {
    const uint8_t kind = record(t).kind;
    state_[t] = kind == LANZA_SYNC_DONE                                 ? kDone
                : kind == LANZA_SYNC_YIELD || kind == LANZA_SYNC_RETURN ? kRunning
                                                                        : kWaiting;
  }

  // A warp operation waits for the living lanes of its mask, a barrier for the block's living threads.
  bool fire() {
    bool any = false;
    std::map<std::tuple<int, int, int, uint32_t>, std::vector<unsigned>> groups;
    for (unsigned t = 0; t < count_; ++t) {
      if (state_[t] != kWaiting) continue;
      LanzaRecord& r = record(t);
      const bool block_wide = r.kind <= LANZA_SYNC_BARRIER_COUNT;
      const bool placed = r.kind == LANZA_SYNC_LOCKSTEP || r.kind == LANZA_SYNC_ACTIVEMASK;
      groups[{r.kind, block_wide ? -1 : int(t / 32),
              block_wide ? r.id
              : placed   ? r.aux
                         : 0,
              block_wide || placed ? 0 : r.mask}]
          .push_back(t);
    }
    // Lock-step groups go on in program order: the lowest place first, and only when nothing else of the warp can.
    for (auto& [key, members] : groups) {
      auto [kind, warp, id, mask] = key;
      if (!complete(kind, warp, mask, members)) continue;
      serve(kind, members);
      any = true;
    }
    if (any) return true;
    for (auto& [key, members] : groups) {
      const int kind = std::get<0>(key);
      if (kind != LANZA_SYNC_LOCKSTEP && kind != LANZA_SYNC_ACTIVEMASK) continue;
      serve(kind, members);
      return true;
    }
    return false;
  }

  bool complete(int kind, int warp, uint32_t mask, const std::vector<unsigned>& members) {
    if (kind == LANZA_SYNC_LOCKSTEP || kind == LANZA_SYNC_ACTIVEMASK) return false;
    unsigned need = 0;
    for (unsigned t = 0; t < count_; ++t) {
      if (state_[t] == kDone) continue;
      if (warp < 0 || (int(t / 32) == warp && (mask >> t % 32 & 1))) ++need;
    }
    if (warp < 0 && record(members[0]).aux) need = std::min<unsigned>(need, record(members[0]).aux);
    return members.size() >= need;
  }

  void serve(int kind, const std::vector<unsigned>& members) {
    uint32_t ballot = 0;
    uint64_t values[32] = {}, count = 0, sum = 0;
    for (unsigned t : members) {
      values[t % 32] = record(t).operand;
      ballot |= uint32_t(record(t).operand != 0) << t % 32;
      count += record(t).operand != 0;
      sum += record(t).operand;
    }
    uint32_t lanes = 0;
    for (unsigned t : members) lanes |= 1u << t % 32;
    for (unsigned t : members) {
      LanzaRecord& r = record(t);
      if (kind == LANZA_SYNC_BARRIER_COUNT) r.operand = count;
      if (kind == LANZA_SYNC_BALLOT) r.operand = ballot;
      if (kind == LANZA_SYNC_SHUFFLE && (lanes >> r.aux & 1)) r.operand = values[r.aux];
      if (kind == LANZA_SYNC_REDUCE) r.operand = uint32_t(sum);
      if (kind == LANZA_SYNC_ACTIVEMASK) r.operand = lanes;
      state_[t] = kRunning;
    }
  }

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  LanzaBlock& block_;
  const LanzaThreads& threads_;
  std::unique_ptr<char, Free> memory_;
  std::vector<State> state_;
  uint64_t stride_ = 0;
  unsigned count_ = 0;
};

}  // namespace

int32_t run_threads(LanzaBlock* block, const LanzaThreads* threads) {
  const uint32_t* grid = block->launch->grid;
  for (; block->next < block->end; ++block->next) {
    block->index[0] = block->next % grid[0];
    block->index[1] = block->next / grid[0] % grid[1];
    block->index[2] = block->next / grid[0] / grid[1];
    if (!Block(*block, *threads).run()) return LANZA_FAILED;
  }
  return LANZA_DONE;
}

}  // namespace lanza::compiler::testing
