// Operators between two __half, or two __nv_bfloat16, found in microseconds and not in one millisecond each. For every
// such operator clang also weighs the built-in ones, by each pair of numbers to which the conversions of the class lead
// (to float, and to any integer). Where the prelude's own operator takes both operands as they are none of those can be
// better, so the conversions are hidden until clang has chosen. The linker brings clang's resolution of binary
// operators, and its lists of conversions, here (--wrap).
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>

namespace lanza::compiler {

using clang::CXXRecordDecl;
using Conversions = llvm::iterator_range<CXXRecordDecl::conversion_iterator>;
using Resolve = clang::ExprResult(clang::Sema*, clang::SourceLocation, clang::BinaryOperatorKind,
                                  const clang::UnresolvedSetImpl&, clang::Expr*, clang::Expr*, bool, bool,
                                  clang::FunctionDecl*);

#define LANZA_RESOLVE                                                                                               \
  "_ZN5clang4Sema21CreateOverloadedBinOpENS_14SourceLocationENS_18BinaryOperatorKindERKNS_17UnresolvedSetImplEPNS_" \
  "4ExprES7_bbPNS_12FunctionDeclE"
#define LANZA_CONVERSIONS "_ZNK5clang13CXXRecordDecl29getVisibleConversionFunctionsEv"
Resolve real_resolve __asm__("__real_" LANZA_RESOLVE);
Resolve wrapped_resolve __asm__("__wrap_" LANZA_RESOLVE);
Conversions real_conversions(const CXXRecordDecl*) __asm__("__real_" LANZA_CONVERSIONS);
Conversions wrapped_conversions(const CXXRecordDecl*) __asm__("__wrap_" LANZA_CONVERSIONS);

namespace {

thread_local const CXXRecordDecl* hidden = nullptr;  // the class whose conversions clang does not see

/// The class of both operands, where it is one of the prelude's that convert to numbers.
const CXXRecordDecl* half_of(const clang::Expr& left, const clang::Expr& right) {
  const CXXRecordDecl* record = left.getType()->getAsCXXRecordDecl();
  if (!record || record != right.getType()->getAsCXXRecordDecl() || !record->getIdentifier()) return nullptr;
  if (left.getType().isVolatileQualified() || right.getType().isVolatileQualified()) return nullptr;
  const bool is_half = record->getName() == "__half" || record->getName() == "__nv_bfloat16";
  return is_half && record->getDeclContext()->getRedeclContext()->isTranslationUnit() ? record->getDefinition()
                                                                                      : nullptr;
}

/// Whether a parameter takes the operand as it is.
bool takes(const clang::ParmVarDecl& parameter, const clang::Expr& operand, const CXXRecordDecl* record) {
  const clang::QualType type = parameter.getType(), value = type.getNonReferenceType();
  if (value->getAsCXXRecordDecl() != record || type->isRValueReferenceType() || value.isVolatileQualified())
    return false;
  return !type->isReferenceType() || value.isConstQualified() ||
         (operand.isLValue() && !operand.getType().isConstQualified());
}

/// Whether one of the operators beside the class takes both operands as they are, and none is a template, which might
/// ask for conversions.
bool is_taken_exactly(clang::Sema& sema, clang::BinaryOperatorKind kind, const clang::UnresolvedSetImpl& found,
                      const clang::Expr& left, const clang::Expr& right, const CXXRecordDecl* record) {
  const auto is_template = [](const clang::NamedDecl* d) {
    return isa<clang::FunctionTemplateDecl>(d->getUnderlyingDecl());
  };
  if (llvm::any_of(found, is_template)) return false;
  const clang::FunctionDecl* caller = sema.getCurFunctionDecl(/*AllowLambda=*/true);
  bool is_exact = false;
  const auto name =
      sema.Context.DeclarationNames.getCXXOperatorName(clang::BinaryOperator::getOverloadedOperator(kind));
  for (const clang::NamedDecl* declaration : record->getDeclContext()->lookup(name)) {
    if (is_template(declaration)) return false;
    const auto* function = dyn_cast<clang::FunctionDecl>(declaration->getUnderlyingDecl());
    is_exact |= function && function->getNumParams() == 2 && takes(*function->getParamDecl(0), left, record) &&
                takes(*function->getParamDecl(1), right, record) && !function->isDeleted() &&
                sema.CUDA().IdentifyPreference(caller, function) > clang::SemaCUDA::CFP_WrongSide;
  }
  return is_exact;
}

}  // namespace

clang::ExprResult wrapped_resolve(clang::Sema* sema, clang::SourceLocation place, clang::BinaryOperatorKind kind,
                                  const clang::UnresolvedSetImpl& found, clang::Expr* left, clang::Expr* right,
                                  bool by_arguments, bool rewritten, clang::FunctionDecl* defaulted) {
  const CXXRecordDecl* before = hidden;
  const CXXRecordDecl* record = kind == clang::BO_PtrMemD ? nullptr : half_of(*left, *right);  // `.*` is no function
  // An assignment is the class's own.
  const bool is_clear =
      record && (kind == clang::BO_Assign ? left->isLValue() && !left->getType().isConstQualified()
                                          : is_taken_exactly(*sema, kind, found, *left, *right, record));
  hidden = is_clear ? record : nullptr;
  const clang::ExprResult result =
      real_resolve(sema, place, kind, found, left, right, by_arguments, rewritten, defaulted);
  hidden = before;
  return result;
}

Conversions wrapped_conversions(const CXXRecordDecl* record) {
  if (hidden && record->getDefinition() == hidden) return {{}, {}};
  return real_conversions(record);
}

}  // namespace lanza::compiler
