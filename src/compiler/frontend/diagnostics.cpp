#include "compiler/frontend/diagnostics.hpp"

#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

#include "compiler/frontend/files.hpp"
#include "compiler/frontend/unsupported.hpp"

using namespace clang;

namespace lanza::compiler {
namespace {

std::uint32_t severity_of(DiagnosticsEngine::Level level) {
  if (level >= DiagnosticsEngine::Error) return LANZA_ERROR;
  return level == DiagnosticsEngine::Warning ? LANZA_WARNING : LANZA_NOTE;
}

}  // namespace

std::string to_line(const lanza::compiler::Diagnostic& d) {
  static constexpr const char* words[] = {"note", "warning", "error"};
  std::string text;
  if (!d.file.empty()) {
    text = d.file + ":";
    if (d.line) text += std::to_string(d.line) + ":" + std::to_string(d.column) + ":";
    text += " ";
  }
  return text + words[d.severity] + ": " + d.message + "\n";
}

DiagnosticRecorder::DiagnosticRecorder(const EditedTexts& texts, std::string& log,
                                       std::vector<lanza::compiler::Diagnostic>& list)
    : places_(texts), stream_(log), list_(list), options_(new DiagnosticOptions), printer_(stream_, options_.get()) {}

void DiagnosticRecorder::BeginSourceFile(const LangOptions& language, const Preprocessor* preprocessor) {
  printer_.BeginSourceFile(language, preprocessor);
}

void DiagnosticRecorder::EndSourceFile() { printer_.EndSourceFile(); }

void DiagnosticRecorder::HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);  // counts
  lanza::compiler::Diagnostic entry;
  entry.severity = severity_of(level);
  llvm::SmallString<256> message;
  info.FormatDiagnostic(message);
  entry.message = message.str().str();
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    SourceManager& sources = info.getSourceManager();
    const PresumedLoc place =
        sources.getPresumedLoc(places_.find(sources.getExpansionLoc(info.getLocation()), sources));
    if (place.isValid()) {
      entry.file = place.getFilename();
      entry.line = place.getLine();
      entry.column = place.getColumn();
    }
  }
  if (entry.severity == LANZA_NOTE && is_virtual_prelude(entry.file)) return;
  print(level, info, entry.message);
  list_.push_back(entry);
  if (entry.severity != LANZA_WARNING) add_hint(entry.message, entry);
}

void DiagnosticRecorder::print(DiagnosticsEngine::Level level, const clang::Diagnostic& info,
                               const std::string& message) {
  if (!info.hasSourceManager() || !info.getLocation().isValid()) return printer_.HandleDiagnostic(level, info);
  SourceManager& sources = info.getSourceManager();
  const SourceLocation place = places_.find(info.getLocation(), sources);
  if (place == info.getLocation()) return printer_.HandleDiagnostic(level, info);
  std::vector<CharSourceRange> ranges;
  for (const CharSourceRange& range : info.getRanges()) ranges.push_back(places_.find(range, sources));
  std::vector<FixItHint> hints;
  for (const FixItHint& hint : info.getFixItHints()) hints.push_back(places_.find(hint, sources));
  // The engine that is at work has one diagnostic at a time: this one.
  DiagnosticsEngine engine(info.getDiags()->getDiagnosticIDs(), options_, &printer_, /*ShouldOwnClient=*/false);
  engine.setSourceManager(&sources);
  engine.Report(StoredDiagnostic(level, info.getID(), message, FullSourceLoc(place, sources), ranges, hints));
}

void DiagnosticRecorder::add_hint(const std::string& message, const lanza::compiler::Diagnostic& at) {
  std::string hint = hint_for(message);
  if (hint.empty() && at.severity == LANZA_ERROR && !said_of_files_) {
    hint = hint_for_file(at.file);
    said_of_files_ = !hint.empty();
  }
  if (hint.empty()) return;
  lanza::compiler::Diagnostic note = at;
  note.severity = LANZA_NOTE;
  note.message = std::move(hint);
  stream_ << to_line(note);
  list_.push_back(std::move(note));
}

}  // namespace lanza::compiler
