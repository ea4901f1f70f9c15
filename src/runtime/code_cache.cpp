#include "runtime/code_cache.hpp"

#include <system_error>
#include <vector>

#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/serialise.hpp"

namespace lanza::detail {
namespace {

constexpr std::string_view manifest_kind = "manifest";
constexpr std::string_view code_kind = "code";
constexpr std::uint64_t format = 3;  // of manifests, keys and serialised code; entries of another one are misses

Hash128 request_key(const backend::CompileRequest& request, std::string_view target, std::string_view compiler) {
  Hasher hasher;
  hasher.add(format).add(target).add(compiler).add(request.source).add(request.filename);
  const auto add_list = [&](const std::vector<std::string>& list) {
    hasher.add(std::uint64_t{list.size()});
    for (const std::string& text : list) hasher.add(text);
  };
  add_list(request.names);
  add_list(request.options);
  add_list(request.include_dirs);
  hasher.add(std::uint64_t{request.headers.size()});
  for (const backend::Header& header : request.headers) hasher.add(header.name).add(header.text);
  return hasher.finish();
}

// The state of the files now, whatever it was when the manifest was made.
Hash128 code_key(const Hash128& request, const std::vector<std::string>& paths) {
  Hasher hasher;
  hasher.add(request.high).add(request.low);
  for (const std::string& path : paths) {
    const auto content = read_file(path);
    hasher.add(path).add(std::uint64_t{content.has_value()});
    if (content) hasher.add(*content);
  }
  return hasher.finish();
}

// A manifest: the lists of files of the last few results, newest first. More than one, because what a source includes
// may depend on what is there: a header that appears and vanishes again leads back to the older list.
using Paths = std::vector<std::string>;
constexpr std::size_t most_lists = 8;

std::string write_manifest(const std::vector<Paths>& lists) {
  Writer writer;
  writer.number(format).number(lists.size());
  for (const Paths& paths : lists) {
    writer.number(paths.size());
    for (const std::string& path : paths) writer.text(path);
  }
  return writer.take();
}

/// Empty when the bytes are no manifest of this version.
std::vector<Paths> read_manifest(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.number() != format) return {};
  std::vector<Paths> lists;
  for (std::uint64_t left = reader.number(); reader.ok() && left > 0; --left) {
    Paths& paths = lists.emplace_back();
    for (std::uint64_t more = reader.number(); reader.ok() && more > 0; --more) paths.push_back(reader.text());
  }
  return reader.ok() && reader.at_end() ? lists : std::vector<Paths>{};
}

bool written_since(const std::string& path, std::filesystem::file_time_type when) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && written >= when;
}

}  // namespace

CodeCache::CodeCache(DiskCache& disk, const backend::CompileRequest& request, std::string_view target,
                     std::string_view compiler)
    : disk_(disk), key_(request_key(request, target, compiler)) {}

std::optional<backend::Code> CodeCache::find() {
  const auto manifest = disk_.get(key_, manifest_kind);
  if (!manifest) return std::nullopt;
  for (const Paths& paths : read_manifest(*manifest)) {
    const auto bytes = disk_.get(code_key(key_, paths), code_kind);
    if (bytes) return deserialise(*bytes);
  }
  return std::nullopt;
}

void CodeCache::store(const backend::CompileResult& result, std::filesystem::file_time_type began) {
  if (!result.cacheable) return;
  Paths paths;
  for (const backend::Dependency& dependency : result.dependencies) {
    // Seen as the compiler did not see it: what it made belongs to another state of the files.
    std::error_code error;
    if (std::filesystem::exists(dependency.path, error) != dependency.present) return;
    if (dependency.present && written_since(dependency.path, began)) return;
    paths.push_back(dependency.path);
  }
  if (!disk_.put(code_key(key_, paths), code_kind, serialise(result.code))) return;
  std::vector<Paths> lists = read_manifest(disk_.get(key_, manifest_kind).value_or(""));
  std::erase(lists, paths);
  lists.insert(lists.begin(), std::move(paths));
  if (lists.size() > most_lists) lists.resize(most_lists);
  disk_.put(key_, manifest_kind, write_manifest(lists));
}

std::string serialise(const backend::Code& code) {
  Writer w;
  w.number(format).text(code.kind).text(code.image).text(code.data).number(code.data_bytes);
  w.text(code.log).text(code.compiler);
  w.number(code.relocations.size());
  for (const std::uint64_t offset : code.relocations) w.number(offset);
  w.number(code.kernels.size());
  for (const backend::KernelInfo& k : code.kernels) {
    w.text(k.symbol).text(k.name).text(k.expression).number(k.max_threads).number(k.static_shared);
    w.number(k.signature.known).number(k.signature.bytes).number(k.signature.parameters.size());
    for (const Parameter& p : k.signature.parameters) {
      w.text(p.name)
          .text(p.type)
          .number(static_cast<std::uint64_t>(p.kind))
          .number(static_cast<std::uint64_t>(p.dtype));
      w.number(p.read_only).number(p.element_size).number(p.offset).number(p.size);
    }
  }
  w.number(code.variables.size());
  for (const backend::VariableInfo& v : code.variables) {
    w.text(v.symbol)
        .text(v.name)
        .text(v.expression)
        .number(v.offset)
        .number(v.size)
        .number(v.constant)
        .number(v.folded);
  }
  return w.take();
}

std::optional<backend::Code> deserialise(std::string_view bytes) {
  Reader r(bytes);
  if (r.number() != format) return std::nullopt;
  backend::Code code;
  code.kind = r.text();
  code.image = r.text();
  code.data = r.text();
  code.data_bytes = r.number();
  code.log = r.text();
  code.compiler = r.text();
  for (std::uint64_t left = r.number(); r.ok() && left > 0; --left) code.relocations.push_back(r.number());
  for (std::uint64_t left = r.number(); r.ok() && left > 0; --left) {
    backend::KernelInfo& k = code.kernels.emplace_back();
    k.symbol = r.text();
    k.name = r.text();
    k.expression = r.text();
    k.max_threads = static_cast<unsigned>(r.number());
    k.static_shared = r.number();
    k.signature.known = r.number() != 0;
    k.signature.bytes = r.number();
    for (std::uint64_t more = r.number(); r.ok() && more > 0; --more) {
      Parameter& p = k.signature.parameters.emplace_back();
      p.name = r.text();
      p.type = r.text();
      p.kind = static_cast<Parameter::Kind>(r.number());
      p.dtype = static_cast<DType>(r.number());
      p.read_only = r.number() != 0;
      p.element_size = r.number();
      p.offset = r.number();
      p.size = r.number();
    }
  }
  for (std::uint64_t left = r.number(); r.ok() && left > 0; --left) {
    backend::VariableInfo& v = code.variables.emplace_back();
    v.symbol = r.text();
    v.name = r.text();
    v.expression = r.text();
    v.offset = r.number();
    v.size = r.number();
    v.constant = r.number() != 0;
    v.folded = r.number() != 0;
  }
  if (!r.ok() || !r.at_end()) return std::nullopt;
  return code;
}

}  // namespace lanza::detail
