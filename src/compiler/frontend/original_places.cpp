#include "compiler/frontend/original_places.hpp"

#include <clang/Basic/SourceManagerInternals.h>
#include <llvm/Support/MemoryBuffer.h>

using namespace clang;

namespace lanza::compiler {

const EditedText* OriginalPlaces::text_of(FileID file, const SourceManager& sources) const {
  const auto buffer = sources.getBufferOrNone(file);
  if (!buffer) return nullptr;
  const auto text = texts_.find(std::string_view(buffer->getBufferIdentifier()));
  return text != texts_.end() && text->second.is_edited() ? &text->second : nullptr;
}

SourceLocation OriginalPlaces::find(SourceLocation place, SourceManager& sources) {
  if (place.isInvalid()) return place;
  if (place.isFileID()) return find_in_file(place, sources);
  if (const auto known = in_macros_.find(place); known != in_macros_.end()) return known->second;
  const SourceLocation was = find_in_macro(place, sources);
  in_macros_.emplace(place, was);
  return was;
}

SourceLocation OriginalPlaces::find_in_file(SourceLocation place, SourceManager& sources) {
  const auto [file, offset] = sources.getDecomposedLoc(place);
  const EditedText* text = text_of(file, sources);
  if (!text) return place;
  const std::size_t was = text->original_offset(offset);
  if (was > text->original().size()) return place;  // appended
  FileID& original = originals_[file];
  if (original.isInvalid())
    original = sources.createFileID(
        llvm::MemoryBuffer::getMemBuffer(text->original(), sources.getBufferOrFake(file).getBufferIdentifier()),
        SrcMgr::C_User, 0, 0, sources.getIncludeLoc(file));
  take_line_directives(file, *text, original, sources);
  return sources.getLocForStartOfFile(original).getLocWithOffset(static_cast<int>(was));
}

// What an expansion covers is of one text, and edits keep the order of what they leave: its places move with it.
SourceLocation OriginalPlaces::find_in_macro(SourceLocation place, SourceManager& sources) {
  const auto [expansion, offset] = sources.getDecomposedLoc(place);
  const SrcMgr::ExpansionInfo info = sources.getSLocEntry(expansion).getExpansion();
  const SourceLocation spelling = info.getSpellingLoc();
  const SourceLocation was = find(spelling, sources);
  const auto moved = [&](unsigned by) {
    const SourceLocation to = find(spelling.getLocWithOffset(static_cast<int>(by)), sources);
    return static_cast<unsigned>(to.getRawEncoding() - was.getRawEncoding());
  };
  SourceLocation& begin = expansions_[expansion];
  if (begin.isInvalid()) {
    const SourceLocation first = find(info.getExpansionLocStart(), sources);
    const SourceLocation last = find(info.getExpansionLocEnd(), sources);
    const unsigned size = moved(sources.getFileIDSize(expansion));
    if (was == spelling && first == info.getExpansionLocStart() && last == info.getExpansionLocEnd())
      begin = sources.getComposedLoc(expansion, 0);
    else if (info.isMacroArgExpansion())
      begin = sources.createMacroArgExpansionLoc(was, first, size);
    else
      begin = sources.createExpansionLoc(was, first, last, size, info.isExpansionTokenRange());
  }
  return begin.getLocWithOffset(static_cast<int>(moved(offset)));
}

// Those that clang has come to by now.
void OriginalPlaces::take_line_directives(FileID from, const EditedText& text, FileID to, SourceManager& sources) {
  if (!sources.hasLineTable()) return;
  LineTableInfo& table = sources.getLineTable();
  std::vector<LineEntry> entries;
  for (const auto& [file, known] : table)
    if (file == from) entries = known;
  table.AddEntry(to, {});
  for (const LineEntry& e : entries) {
    const std::size_t was = text.original_offset(e.FileOffset);
    if (was > text.original().size()) continue;
    const SourceLocation place = sources.getLocForStartOfFile(to).getLocWithOffset(static_cast<int>(was));
    sources.AddLineNote(place, e.LineNo, e.FilenameID, /*IsFileEntry=*/false, /*IsFileExit=*/false, e.FileKind);
  }
}

CharSourceRange OriginalPlaces::find(CharSourceRange range, SourceManager& sources) {
  return {SourceRange(find(range.getBegin(), sources), find(range.getEnd(), sources)), range.isTokenRange()};
}

FixItHint OriginalPlaces::find(FixItHint hint, SourceManager& sources) {
  hint.RemoveRange = find(hint.RemoveRange, sources);
  hint.InsertFromRange = find(hint.InsertFromRange, sources);
  return hint;
}

}  // namespace lanza::compiler
