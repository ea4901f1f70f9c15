#include "compiler/frontend/kernels.hpp"

#include <lanza/dtype.hpp>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

using namespace clang;

namespace lanza::compiler {
namespace {

PrintingPolicy printing_policy(const ASTContext& context) {
  PrintingPolicy policy(context.getLangOpts());
  policy.adjustForCPlusPlus();
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  return policy;
}

// "const float *" -> "const float*", "int *const *" -> "int*const*"; "int (*)[4]" stays.
std::string without_space_before_star(std::string text) {
  for (std::size_t at = text.find(" *"); at != std::string::npos; at = text.find(" *", at)) text.erase(at, 1);
  for (std::size_t at = text.find(" &"); at != std::string::npos; at = text.find(" &", at)) text.erase(at, 1);
  return text;
}

DType integer_type(std::uint64_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? DType::Int8 : DType::UInt8;
    case 2:
      return is_signed ? DType::Int16 : DType::UInt16;
    case 4:
      return is_signed ? DType::Int32 : DType::UInt32;
    case 8:
      return is_signed ? DType::Int64 : DType::UInt64;
    default:
      return DType::Record;
  }
}

DType builtin_type(const BuiltinType& type, const ASTContext& context) {
  switch (type.getKind()) {
    case BuiltinType::Void:
      return DType::Opaque;
    case BuiltinType::Bool:
      return DType::Bool;
    case BuiltinType::Half:
    case BuiltinType::Float16:
      return DType::Float16;
    case BuiltinType::BFloat16:
      return DType::BFloat16;
    case BuiltinType::Float:
      return DType::Float32;
    case BuiltinType::Double:
    case BuiltinType::LongDouble:
      return DType::Float64;  // a double in device code
    default:
      break;
  }
  if (!type.isInteger()) return DType::Record;
  return integer_type(context.getTypeSizeInChars(&type).getQuantity(), type.isSignedInteger());
}

// Types of the prelude that stand for numbers.
DType record_type(const RecordDecl& record) {
  const auto* scope = record.getDeclContext()->getRedeclContext();
  if (!scope->isTranslationUnit() || !record.getDeclName().isIdentifier()) return DType::Record;
  const llvm::StringRef name = record.getName();
  if (name == "float2") return DType::Complex64;
  if (name == "double2") return DType::Complex128;
  if (name == "__half") return DType::Float16;
  if (name == "__nv_bfloat16") return DType::BFloat16;
  return DType::Record;
}

DType dtype_of(QualType type, const ASTContext& context) {
  type = context.getBaseElementType(type).getCanonicalType().getUnqualifiedType();
  if (type->isIncompleteType() || type->isFunctionType()) return DType::Opaque;
  if (const auto* builtin = type->getAs<BuiltinType>()) return builtin_type(*builtin, context);
  if (const auto* enumeration = type->getAs<EnumType>())
    return dtype_of(enumeration->getDecl()->getIntegerType(), context);
  if (const auto* record = type->getAs<RecordType>()) return record_type(*record->getDecl());
  if (const auto* complex = type->getAs<ComplexType>()) {
    const DType part = dtype_of(complex->getElementType(), context);
    return part == DType::Float32 ? DType::Complex64 : part == DType::Float64 ? DType::Complex128 : DType::Record;
  }
  if (type->isPointerType()) return DType::UInt64;  // arrays of addresses
  return DType::Record;
}

Parameter describe_parameter(const ParmVarDecl& declaration, const ASTContext& context, const PrintingPolicy& policy) {
  const QualType type = declaration.getType().getCanonicalType().getUnqualifiedType();
  Parameter p;
  p.name = declaration.getNameAsString();
  p.type = without_space_before_star(type.getAsString(policy));
  const bool is_reference = type->isReferenceType();
  if (is_reference || type->isPointerType()) {
    const QualType element = type->getPointeeType();
    p.kind = LANZA_PARAMETER_POINTER;
    p.size = 8;
    p.read_only = context.getBaseElementType(element).isConstQualified();
    p.dtype = static_cast<std::uint32_t>(dtype_of(element, context));
    const QualType base = context.getBaseElementType(element);
    if (!base->isIncompleteType() && !base->isFunctionType())
      p.element_size = context.getTypeSizeInChars(base).getQuantity();
    return p;
  }
  p.size = static_cast<std::uint32_t>(context.getTypeSizeInChars(type).getQuantity());
  p.element_size = p.size;
  const DType dtype = dtype_of(type, context);
  const bool number = type->isArithmeticType() || type->isEnumeralType() ||
                      (type->isRecordType() && (dtype == DType::Float16 || dtype == DType::BFloat16));
  p.kind = number ? LANZA_PARAMETER_SCALAR : LANZA_PARAMETER_RECORD;
  p.dtype = static_cast<std::uint32_t>(dtype);
  return p;
}

// The block is laid out as a struct of the parameters would be, by the rules of nvptx64.
void add_parameters(Kernel& kernel, const FunctionDecl& function, const ASTContext& context,
                    const PrintingPolicy& policy) {
  std::uint64_t offset = 0, alignment = 1;
  for (const ParmVarDecl* declaration : function.parameters()) {
    Parameter p = describe_parameter(*declaration, context, policy);
    const std::uint64_t align = declaration->getType()->isReferenceType()
                                    ? 8
                                    : context.getTypeAlignInChars(declaration->getType()).getQuantity();
    alignment = std::max(alignment, align);
    offset = (offset + align - 1) / align * align;
    p.offset = static_cast<std::uint32_t>(offset);
    offset += p.size;
    kernel.parameters.push_back(std::move(p));
  }
  kernel.argument_bytes = static_cast<std::uint32_t>(offset);
}

// Functions and globals that the function refers to, directly or through others.
llvm::SetVector<const llvm::GlobalValue*> reachable_from(const llvm::Function& root) {
  llvm::SetVector<const llvm::GlobalValue*> found;
  llvm::SetVector<const llvm::Constant*> constants;
  auto visit = [&](const llvm::Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) constants.insert(constant);
  };
  auto drain = [&] {
    for (std::size_t i = 0; i < constants.size(); ++i) {
      const llvm::Constant* constant = constants[i];
      if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant))
        found.insert(global);
      else
        for (const llvm::Use& operand : constant->operands()) visit(operand);
    }
  };
  found.insert(&root);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(found[i]))
      for (const llvm::BasicBlock& block : *function)
        for (const llvm::Instruction& instruction : block)
          for (const llvm::Use& operand : instruction.operands()) visit(operand);
    drain();
  }
  return found;
}

std::uint32_t static_shared_bytes(const llvm::Function& kernel, const llvm::Module& module) {
  constexpr unsigned shared_space = 3;
  const llvm::DataLayout& layout = module.getDataLayout();
  std::uint64_t bytes = 0;
  for (const llvm::GlobalValue* value : reachable_from(kernel)) {
    auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
    if (!variable || variable->getAddressSpace() != shared_space || variable->isDeclaration()) continue;
    bytes =
        llvm::alignTo(bytes, layout.getPreferredAlign(variable)) + layout.getTypeAllocSize(variable->getValueType());
  }
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

std::string written_name(const NamedDecl& declaration, const ASTContext& context) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  declaration.getNameForDiagnostic(stream, printing_policy(context), /*Qualified=*/true);
  return without_space_before_star(std::move(name));
}

Kernel parameters_of(const FunctionDecl& function, const ASTContext& context) {
  Kernel kernel;
  add_parameters(kernel, function, context, printing_policy(context));
  return kernel;
}

std::uint32_t launch_bound(const FunctionDecl& function, const ASTContext& context) {
  const auto* bounds = function.getAttr<CUDALaunchBoundsAttr>();
  if (!bounds || !bounds->getMaxThreads()) return 0;
  Expr::EvalResult value;
  if (!bounds->getMaxThreads()->EvaluateAsInt(value, context)) return 0;
  return static_cast<std::uint32_t>(value.Val.getInt().getZExtValue());
}

std::vector<Kernel> describe_kernels(const ASTContext& context, CodeGenerator& generator, const llvm::Module& module,
                                     const NamedEntities& entities, const LanzaBytes* names) {
  const PrintingPolicy policy = printing_policy(context);
  std::vector<Kernel> kernels;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const auto* declaration = llvm::dyn_cast_or_null<FunctionDecl>(generator.GetDeclForMangledName(function.getName()));
    if (!declaration || !declaration->hasAttr<CUDAGlobalAttr>()) continue;
    if (const FunctionDecl* definition = declaration->getDefinition()) declaration = definition;

    Kernel kernel;
    kernel.symbol = function.getName().str();
    kernel.name = written_name(*declaration, context);
    kernel.max_threads = launch_bound(*declaration, context);
    kernel.static_shared = static_shared_bytes(function, module);
    const PresumedLoc place = context.getSourceManager().getPresumedLoc(declaration->getLocation());
    kernel.line = place.isValid() ? place.getLine() : 0;
    add_parameters(kernel, *declaration, context, policy);

    const std::vector<std::size_t> expressions = entities.expressions_for(declaration);
    if (expressions.empty()) kernels.push_back(kernel);
    for (std::size_t i : expressions) {
      kernel.expression.assign(names[i].data, names[i].size);
      kernels.push_back(kernel);
    }
  }
  return kernels;
}

}  // namespace lanza::compiler
