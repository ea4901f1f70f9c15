// The list of the twins of one library.
#include "twin.hpp"

const bench::Twin*& bench::first_twin() {
  static const Twin* first = nullptr;
  return first;
}

extern "C" __attribute__((visibility("default"))) const bench::Twin* twins() { return bench::first_twin(); }
