// Results as the C table hands them out: plain structs that point into an owner.
#pragma once

#include "compiler/codegen/ptx.hpp"
#include "compiler/codegen/specialise.hpp"
#include "compiler/frontend/compile.hpp"
#include "compiler/interface.h"

namespace lanza::compiler {

LanzaCompileResult* make_result(Compiled&& compiled);
LanzaSpecialiseResult* make_result(Specialised&& specialised);
LanzaPtxResult* make_result(Ptx&& ptx);
void free_result(LanzaCompileResult*);
void free_result(LanzaSpecialiseResult*);
void free_result(LanzaPtxResult*);

}  // namespace lanza::compiler
