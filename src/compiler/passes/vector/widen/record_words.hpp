// Records of bytes or shorts, one a lane, that fill a word.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Of a loaded word's parts the one that lies `unit` parts behind its beginning, as Widener::part_of_unit() cuts it
/// off. `word` is null: it is none.
struct WordPart {
  llvm::Value* word = nullptr;
  unsigned unit = 0, parts = 0;
};
WordPart as_word_part(llvm::Value& value);
/// The word's parts as they lie in memory: vectors of as many lanes as there are words.
llvm::SmallVector<llvm::Value*, 16> split_words(llvm::IRBuilderBase& b, llvm::Value& word, unsigned parts);

/// Words put together of parts, as Widener::unit_with() makes them: all that have the same parts.
class RecordWord {
 public:
  /// Those that are stored.
  static std::vector<RecordWord> find_all(llvm::Function& kernel);

  /// In place of the words there are the parts as they lie in memory, and what puts them there is the result.
  llvm::CallInst* put_together();
  /// The words are what they were.
  void undo();

 private:
  llvm::SmallVector<llvm::Value*, 4> parts_;
  llvm::SmallVector<llvm::Use*, 2> uses_;
  llvm::SmallVector<llvm::Value*, 2> words_;
  llvm::SmallVector<llvm::Instruction*, 16> made_;
};

}  // namespace lanza::compiler
