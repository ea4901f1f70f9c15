// Where the user sees what clang read: places of a rewritten source in its original text.
#pragma once

#include <map>
#include <string>

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>

#include "compiler/frontend/edited_text.hpp"

namespace lanza::compiler {

/// Gives clang's source manager the original texts too, as files of the same names, when somebody asks for a place in
/// one. A place in a macro is one in a macro with the original text, used where the user used it. Places in texts that
/// were not edited stay what they are.
class OriginalPlaces {
 public:
  explicit OriginalPlaces(const EditedTexts& texts) : texts_(texts) {}

  clang::SourceLocation find(clang::SourceLocation place, clang::SourceManager& sources);
  clang::CharSourceRange find(clang::CharSourceRange range, clang::SourceManager& sources);
  clang::FixItHint find(clang::FixItHint hint, clang::SourceManager& sources);

 private:
  clang::SourceLocation find_in_file(clang::SourceLocation place, clang::SourceManager& sources);
  clang::SourceLocation find_in_macro(clang::SourceLocation place, clang::SourceManager& sources);
  const EditedText* text_of(clang::FileID file, const clang::SourceManager& sources) const;
  void take_line_directives(clang::FileID from, const EditedText& text, clang::FileID to, clang::SourceManager&);

  const EditedTexts& texts_;
  std::map<clang::FileID, clang::FileID> originals_;
  std::map<clang::FileID, clang::SourceLocation> expansions_;  // where each begins in the original texts
  // Each place asks for several of the macro around it: without memory, twice as many with each macro in a macro.
  std::map<clang::SourceLocation, clang::SourceLocation> in_macros_;
};

}  // namespace lanza::compiler
