// Features of CUDA that the CPU device does not have yet: each use gets an error that names the feature and says what
// to do.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace clang {
class CompilerInstance;
}

namespace lanza::compiler {

/// What to say below one of clang's errors: "textures are not supported ..." for "use of undeclared identifier
/// 'tex2D'". Empty: nothing.
std::string hint_for(llvm::StringRef message);

/// The same for an error in that file, which the user did not write.
std::string hint_for_file(llvm::StringRef path);

/// Errors for headers of the toolkit that are not there ("cuda_fp16.h: half precision is not supported ...").
void report_unsupported_headers(clang::CompilerInstance& instance);

}  // namespace lanza::compiler
