// Something that the loader takes for a plug-in, or should not: of another version, of another interface.
#include "compiler/interface.h"
#include "lanza_compiler_version.h"

#ifdef FAKE_OLDER
#define FAKE_VERSION "0-older"
#else
#define FAKE_VERSION LANZA_COMPILER_VERSION
#endif

static const LanzaCompiler table = {
    LANZA_COMPILER_INTERFACE, FAKE_VERSION, "fake", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

extern "C" __attribute__((visibility("default"))) const LanzaCompiler* lanza_compiler(uint32_t interface) {
#ifdef FAKE_OTHER_INTERFACE
  interface += 1;
#endif
  return interface == LANZA_COMPILER_INTERFACE ? &table : nullptr;
}
