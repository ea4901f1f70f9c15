// In what processors differ that LLVM's costs do not say.
#pragma once

#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// Zen 5 does four operations on 16 lanes in a cycle, where others do two, and looks ahead no further: something always
/// waits, and another group's work is worth having beside it.
bool is_wide_core(const llvm::TargetMachine& host);

/// How many turns of a block before it is used memory is best asked for. One is shorter than the way from memory, so
/// two; but on Intel's cores what came so early is often gone again (a 3-D stencil of 128^3: 0.8 of the time with one).
unsigned turns_to_memory(const llvm::TargetMachine& host);

/// Whether what later turns use is best asked for into the second cache, and what they write by a request to read. So
/// on Zen 4 (3-D stencils, planes of 256 x 256 and 512 x 512: 0.7 and 0.8 of the time; of up to 96 x 96 as long), whose
/// first cache may be too small for it; Zen 5's is larger, and was not measured. On Intel's cores requests to read what
/// is written took 1.2 of the time.
bool fetches_to_second_cache(const llvm::TargetMachine& host);

/// Whether the processor's own prefetcher follows the rows of a tile from block to block: on Intel's cores, where
/// requests for the tile after the next one took 1.3 of the time (a 5x5 convolution of 1024^2 and 4096^2) and 1.07 to
/// 1.3 (a convolution of columns); only a transposition's blocks, which write far from each other, gain by them (0.9).
bool follows_rows(const llvm::TargetMachine& host);

/// Whether vectors have 256 bits, lanes move within halves of them, and masks are vectors: with AVX2 alone.
bool has_avx2_at_most(const llvm::TargetMachine& host);

/// Whether a gather takes less time than its loads one by one: half of it on Intel's cores, as long on Zen's.
bool gathers_fast(const llvm::TargetMachine& host);

/// Whether lanes that walk along rows of their own, fewer from turn to turn, best load whole rows by masks and turn
/// them into columns: with AVX-512 where gathers are slow. On Zen 5 rows of 0 to 60 floats take 0.45 of the time;
/// without masks in registers 1.5.
bool masks_rows(const llvm::TargetMachine& host);

/// Whether shuffles of 16 lanes take less time than a load across two lines: on Zen 5, and on Zen 4 (a 1-D stencil of
/// radius 4 and a convolution of rows of radius 8: 0.8 of the time).
bool shuffles_fast(const llvm::TargetMachine& host);

/// Whether a load across two lines takes longer than a load of each and a shuffle, as it does where shuffles are fast,
/// and on Intel's cores (a 1-D stencil of radius 4: 0.88 of the time).
bool loads_lines_slowly(const llvm::TargetMachine& host);

/// How many blocks that go through a volume plane by plane best go side by side, in groups of two registers: on Intel's
/// cores, further from memory, four (a 3-D stencil of 128^3: 0.85 of the time that two take); on Zen 4 as fast as two.
unsigned blocks_beside(const llvm::TargetMachine& host);

/// Whether one block of a kernel that waits at barriers asks for as much memory at once as the core follows: Zen 5's,
/// and Intel's (a convolution of columns, a transposition: 0.95 of the time without a second block beside it).
bool asks_for_much(const llvm::TargetMachine& host);

/// Whether all of them are there, as in "+avx2,+fma". LLVM looks through all features for each that one implies, some
/// microseconds: here it is asked once.
bool has_features(const llvm::TargetMachine& host, const char* features);

/// Whether a store of some lanes takes no longer than others: with AVX-512, and on Intel's cores. Zen 3 takes 5 ns for
/// a vmaskmovps.
bool stores_masked_fast(const llvm::TargetMachine& host);

/// Whether sums have units of their own, which are idle where each is fused with a product: on Zen up to 4 (structures
/// of which four members change, with an addition in place of one of two fused operations: 0.86 of the time in C++,
/// 0.95 in a kernel). Zen 5 has so many units that memory is slower.
bool adds_beside_products(const llvm::TargetMachine& host);

/// Whether sixteen quotients take longer than five fused operations and the question whether these may be trusted: on
/// Intel's cores with AVX-512 (10 cycles, and 5). Others were not measured.
bool divides_slowly(const llvm::TargetMachine& host);

}  // namespace lanza::compiler
