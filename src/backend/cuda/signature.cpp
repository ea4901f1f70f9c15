// Types to Parameter records: element types, sizes, constness.
#include "backend/cuda/signature.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "backend/cuda/demangle.hpp"

namespace lanza::cuda_backend {
namespace {

struct Element {
  DType dtype = DType::Record;
  std::size_t size = 0;  ///< 0: unknown
};

struct NamedElement {
  std::string_view name;
  Element element;
};

constexpr NamedElement builtin_elements[] = {
    {"void", {DType::Opaque, 0}},
    {"bool", {DType::Bool, 1}},
    {"char", {DType::Int8, 1}},
    {"signed char", {DType::Int8, 1}},
    {"unsigned char", {DType::UInt8, 1}},
    {"short", {DType::Int16, 2}},
    {"unsigned short", {DType::UInt16, 2}},
    {"int", {DType::Int32, 4}},
    {"unsigned int", {DType::UInt32, 4}},
    {"long", {DType::Int64, 8}},
    {"unsigned long", {DType::UInt64, 8}},
    {"long long", {DType::Int64, 8}},
    {"unsigned long long", {DType::UInt64, 8}},
    {"__int128", {DType::Record, 16}},
    {"unsigned __int128", {DType::Record, 16}},
    {"wchar_t", {DType::Int32, 4}},
    {"char8_t", {DType::UInt8, 1}},
    {"char16_t", {DType::UInt16, 2}},
    {"char32_t", {DType::UInt32, 4}},
    {"float", {DType::Float32, 4}},
    {"double", {DType::Float64, 8}},
    {"long double", {DType::Float64, 8}},
    {"_Float16", {DType::Float16, 2}},
    {"__fp16", {DType::Float16, 2}},
    {"__bf16", {DType::BFloat16, 2}},
};

/// Classes of CUDA's headers whose layout is settled. Vector types are computed.
constexpr NamedElement class_elements[] = {
    {"float2", {DType::Complex64, 8}}, {"double2", {DType::Complex128, 16}},
    {"__half", {DType::Float16, 2}},   {"__nv_bfloat16", {DType::BFloat16, 2}},
    {"__half2", {DType::Record, 4}},   {"__nv_bfloat162", {DType::Record, 4}},
    {"dim3", {DType::Record, 12}},
};

std::optional<Element> find(const auto& table, std::string_view name) {
  for (const NamedElement& e : table)
    if (e.name == name) return e.element;
  return std::nullopt;
}

/// "uchar4", "longlong2": a base and a count.
std::optional<Element> vector_element(std::string_view name) {
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  static constexpr std::pair<std::string_view, std::size_t> bases[] = {
      {"char", 1}, {"uchar", 1}, {"short", 2},    {"ushort", 2},    {"int", 4},   {"uint", 4},
      {"long", 8}, {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}, {"float", 4}, {"double", 8}};
  for (const auto& [base, size] : bases)
    if (name.substr(0, name.size() - 1) == base)
      return Element{DType::Record, size * static_cast<std::size_t>(name.back() - '0')};
  return std::nullopt;
}

Element element_of(const CppType& t) {
  switch (t.kind) {
    case CppType::Kind::Builtin:
      return find(builtin_elements, t.name).value_or(Element{});
    case CppType::Kind::Named:
      if (const auto known = find(class_elements, t.name)) return *known;
      // A class of the user's: its size is not in the symbol, and nothing is checked but that it is a record.
      return vector_element(t.name).value_or(Element{DType::Opaque, 0});
    case CppType::Kind::Pointer:
      return {DType::UInt64, 8};
    case CppType::Kind::Array:
      return element_of(*t.inner);
    default:
      return {DType::Opaque, 0};
  }
}

bool is_const_element(const CppType& t) {
  return t.kind == CppType::Kind::Array ? is_const_element(*t.inner) : t.is_const;
}

/// What PTX alone tells: floating point is certain, integers have no sign there.
Element element_of(const PtxParameter& p) {
  if (p.aggregate) return {DType::Record, p.size};
  if (p.type == "f32") return {DType::Float32, 4};
  if (p.type == "f64") return {DType::Float64, 8};
  constexpr DType signed_by_log2[] = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
  const int log2 = p.size == 1 ? 0 : p.size == 2 ? 1 : p.size == 4 ? 2 : 3;
  return {signed_by_log2[log2], p.size};
}

Parameter make_parameter(const CppType& t, const PtxParameter& layout) {
  Parameter p;
  p.offset = layout.offset;
  p.size = layout.size;
  p.element_size = layout.size;
  if (t.kind == CppType::Kind::Unknown) return p;
  CppType unqualified = t;
  unqualified.is_const = false;
  p.type = to_string(unqualified);
  if (t.kind == CppType::Kind::Pointer || t.kind == CppType::Kind::Reference) {
    p.kind = Parameter::Kind::Pointer;
    const Element e = element_of(*t.inner);
    p.dtype = e.dtype;
    p.element_size = e.size;
    p.read_only = is_const_element(*t.inner);
    return p;
  }
  const Element e = element_of(t);
  if (e.size != 0 && e.size != layout.size) {  // not the type that the name suggests
    p.dtype = DType::Record;
    return p;
  }
  const bool named_scalar = t.kind == CppType::Kind::Named && !layout.aggregate;  // an enumeration
  p.kind = t.kind == CppType::Kind::Builtin || named_scalar ? Parameter::Kind::Scalar : Parameter::Kind::Record;
  if (e.size == 0 && t.kind == CppType::Kind::Named) {
    p.dtype = element_of(layout).dtype;
  } else {
    p.dtype = e.dtype;
  }
  return p;
}

/// Words of a fundamental type in any order: "long unsigned int" is "unsigned long".
std::optional<std::string> fundamental(std::vector<std::string> words) {
  const auto take = [&](const char* w) {
    const auto at = std::find(words.begin(), words.end(), w);
    if (at == words.end()) return false;
    words.erase(at);
    return true;
  };
  const bool is_unsigned = take("unsigned"), is_signed = take("signed");
  int longs = 0;
  while (take("long")) ++longs;
  const bool is_short = take("short"), has_int = take("int");
  const std::string sign = is_unsigned ? "unsigned " : "";
  if (words.empty()) {
    if (longs == 1) return sign + "long";
    if (longs == 2) return sign + "long long";
    if (is_short) return sign + "short";
    if (has_int || is_unsigned || is_signed) return sign + "int";
    return std::nullopt;
  }
  if (words.size() != 1) return std::nullopt;
  if (words[0] == "char") return (is_signed ? "signed " : sign) + "char";
  if (longs || is_short || has_int || is_unsigned || is_signed) return std::nullopt;
  if (find(builtin_elements, words[0])) return words[0];
  return std::nullopt;
}

/// Names that are always there.
constexpr std::pair<std::string_view, std::string_view> usual_names[] = {
    {"size_t", "unsigned long"},
    {"ptrdiff_t", "long"},
    {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long"},
    {"uint64_t", "unsigned long"},
    {"intptr_t", "long"},
    {"uintptr_t", "unsigned long"},
    {"uint", "unsigned int"},
    {"ushort", "unsigned short"},
    {"ulong", "unsigned long"},
    {"half", "__half"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"half2", "__half2"},
    {"cuComplex", "float2"},
    {"cuFloatComplex", "float2"},
    {"cuDoubleComplex", "double2"},
};

class TypeReader {
 public:
  explicit TypeReader(const SourceSummary& source) : source_(source) {}

  /// The type that tokens spell; Unknown when they do not.
  CppType read(const std::vector<std::string>& tokens, int depth = 0) const {
    CppType type;
    std::vector<std::string> words;
    bool is_const = false;
    std::size_t i = 0;
    for (; i < tokens.size() && tokens[i] != "*"; ++i) {
      const std::string& t = tokens[i];
      if (t == "const" || t == "__grid_constant__")
        is_const = is_const || t == "const";
      else if (t == ":" && !words.empty() && i + 2 < tokens.size() && tokens[i + 1] == ":")
        words.back() += "::" + tokens[i += 2];
      else if (t != "volatile" && t != "struct" && t != "class" && t != "enum" && t != "union" && t != "typename")
        words.push_back(t);
    }
    type = base(words, depth);
    type.is_const = type.is_const || is_const;
    for (; i < tokens.size(); ++i) {
      if (tokens[i] == "*") {
        type = CppType{CppType::Kind::Pointer, {}, false, std::make_shared<CppType>(std::move(type))};
      } else if (tokens[i] == "const") {
        type.is_const = true;
      } else if (tokens[i] != "__restrict__" && tokens[i] != "__restrict" && tokens[i] != "volatile") {
        return {};
      }
    }
    return type;
  }

 private:
  CppType base(const std::vector<std::string>& words, int depth) const {
    if (words.empty() || depth > 8) return {};
    if (const auto name = fundamental(words)) return {CppType::Kind::Builtin, *name, false, nullptr};
    if (words.size() != 1) return {};
    const std::string& word = words[0];
    if (const auto at = source_.aliases.find(word); at != source_.aliases.end())
      return at->second.empty() ? CppType{} : read(at->second, depth + 1);
    const std::string plain = word.rfind("std::", 0) == 0 ? word.substr(5) : word;
    for (const auto& [name, meaning] : usual_names)
      if (plain == name)
        return {find(builtin_elements, meaning) ? CppType::Kind::Builtin : CppType::Kind::Named, std::string(meaning),
                false, nullptr};
    return {CppType::Kind::Named, word, false, nullptr};
  }

  const SourceSummary& source_;
};

/// "ns::axpy<float>" -> "axpy".
std::string_view unqualified(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colon = name.rfind("::");
  return colon == name.npos ? name : name.substr(colon + 2);
}

bool is_pointer(const CppType& t) { return t.kind == CppType::Kind::Pointer || t.kind == CppType::Kind::Reference; }

}  // namespace

backend::KernelInfo describe_kernel(const PtxKernel& ptx, const SourceSummary& source, const std::string& expression) {
  backend::KernelInfo info;
  info.symbol = ptx.symbol;
  info.expression = expression;
  info.max_threads = ptx.max_threads;
  info.static_shared = ptx.static_shared;
  info.signature.bytes = ptx.bytes;
  const auto demangled = demangle(ptx.symbol);
  info.name = demangled ? demangled->name : !expression.empty() ? expression : ptx.symbol;

  const std::size_t count = ptx.parameters.size();
  const SourceKernel* declared = source.find(unqualified(info.name), count);
  std::vector<CppType> types(count);
  if (demangled && demangled->parameters.size() == count) {
    types = demangled->parameters;
  } else if (!demangled && declared && declared->readable && ptx.symbol.rfind("_Z", 0) != 0) {
    const TypeReader reader(source);
    for (std::size_t i = 0; i < count; ++i) {
      types[i] = reader.read(declared->parameters[i].type);
      // A name that no declaration here explains: 8 bytes may be anything, what PTX calls floating point is that.
      const bool plain_float = types[i].kind == CppType::Kind::Named && ptx.parameters[i].type[0] == 'f';
      if (plain_float)
        types[i] = {CppType::Kind::Builtin, ptx.parameters[i].size == 4 ? "float" : "double", false, nullptr};
      if (is_pointer(types[i]) && ptx.parameters[i].size != 8) types[i] = {};
      const bool may_hide_pointer =
          types[i].kind == CppType::Kind::Named && !ptx.parameters[i].aggregate && ptx.parameters[i].size == 8;
      if (may_hide_pointer) types[i] = {};
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    Parameter p = make_parameter(types[i], ptx.parameters[i]);
    if (declared) p.name = declared->parameters[i].name;
    info.signature.parameters.push_back(std::move(p));
  }
  return info;
}

backend::VariableInfo describe_variable(const PtxVariable& ptx, const std::string& expression) {
  backend::VariableInfo info;
  info.symbol = ptx.symbol;
  info.expression = expression;
  info.size = ptx.size;
  info.constant = ptx.constant;
  const auto demangled = demangle(ptx.symbol);
  info.name = demangled ? demangled->name : ptx.symbol;
  return info;
}

}  // namespace lanza::cuda_backend
