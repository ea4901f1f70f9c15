#include "compiler/frontend/variables.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <functional>

#include "compiler/frontend/files.hpp"
#include "compiler/frontend/kernels.hpp"
#include "compiler/passes/fold_initialisers.hpp"
#include "compiler/passes/function_numbers.hpp"

using namespace llvm;

namespace lanza::compiler {
namespace {

constexpr unsigned shared_space = 3;
constexpr std::uint64_t segment_limit = std::uint64_t{1} << 30;

const clang::VarDecl* declaration_of(const GlobalVariable& global, clang::CodeGenerator& generator) {
  return dyn_cast_or_null<clang::VarDecl>(generator.GetDeclForMangledName(global.getName()));
}

/// The segment while it grows.
class Segment {
 public:
  Segment(clang::CompilerInstance& instance, clang::CodeGenerator& generator, Module& module,
          const NamedEntities& entities, const LanzaBytes* names, Compiled& result)
      : instance_(instance),
        generator_(generator),
        module_(module),
        entities_(entities),
        names_(names),
        result_(result),
        layout_(module.getDataLayout()) {}

  void build() {
    choose_members();
    if (!place_members()) return;
    for (GlobalVariable* member : members_) write(*member);
    for (const GlobalVariable* member : members_) report(*member);
  }

 private:
  // ---- who is in it

  bool is_candidate(const GlobalVariable& g) const {
    return !g.isDeclaration() && g.getAddressSpace() != shared_space && !g.getName().starts_with("llvm.");
  }

  /// The host can find the variable by its name.
  bool is_visible(const GlobalVariable& g) const {
    const clang::VarDecl* d = declaration_of(g, generator_);
    if (!d || d->isStaticLocal() ||
        !(d->hasAttr<clang::CUDADeviceAttr>() || d->hasAttr<clang::CUDAConstantAttr>() || !g.hasInternalLinkage()))
      return false;
    if (!entities_.expressions_for(d).empty()) return true;
    if (g.isConstant() && g.hasLocalLinkage()) return false;
    const clang::SourceManager& sources = instance_.getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(d->getLocation());
    return place.isValid() && !is_virtual_prelude(place.getFilename());
  }

  /// Objects outlive the kernel that made them, and point to their tables.
  static bool is_virtual_table(const GlobalVariable& g) {
    return any_of(ArrayRef<StringRef>{"_ZTV", "_ZTT", "_ZTC"}, [&](StringRef p) { return g.getName().starts_with(p); });
  }

  // The graph of pointers in initialisers is followed both ways: what a member points to must have an address in the
  // segment, and a constant that points to a member needs the segment's address, which only the segment's own
  // relocations know.
  void choose_members() {
    DenseMap<GlobalVariable*, SetVector<GlobalVariable*>> neighbours;
    for (GlobalVariable& g : module_.globals()) {
      if (!is_candidate(g)) continue;
      for (GlobalVariable* target : targets_of(*g.getInitializer())) {
        neighbours[&g].insert(target);
        neighbours[target].insert(&g);
      }
      if (!g.isConstant() || is_visible(g) || is_virtual_table(g)) members_.insert(&g);
    }
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (GlobalVariable* neighbour : neighbours[members_[i]])
        if (is_candidate(*neighbour)) members_.insert(neighbour);
  }

  static SetVector<GlobalVariable*> targets_of(const Constant& initialiser) {
    SetVector<GlobalVariable*> targets;
    SetVector<const Constant*> work;
    work.insert(&initialiser);
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (const Use& use : work[i]->operands()) {
        if (auto* global = dyn_cast<GlobalVariable>(use))
          targets.insert(global);
        else if (auto* constant = dyn_cast<Constant>(use); constant && !isa<GlobalValue>(constant))
          work.insert(constant);
      }
    }
    if (auto* global = dyn_cast<GlobalVariable>(&initialiser)) targets.insert(const_cast<GlobalVariable*>(global));
    return targets;
  }

  // ---- where they are

  // Those that are zero at first come last: the data ends before them.
  bool place_members() {
    const auto is_zero = [](const GlobalVariable* member) {
      const Constant* initialiser = member->getInitializer();
      return initialiser->isNullValue() || isa<UndefValue>(initialiser);
    };
    SmallVector<GlobalVariable*, 16> order(members_.begin(), members_.end());
    const auto* first_zero = std::stable_partition(order.begin(), order.end(), std::not_fn(is_zero));
    std::uint64_t end = 0;
    for (GlobalVariable* const* place = order.begin(); place != order.end(); ++place) {
      GlobalVariable* member = *place;
      if (place == first_zero) result_.data.assign(end, '\0');
      const std::uint64_t size = layout_.getTypeAllocSize(member->getValueType());
      // Large arrays begin on a cache line, for the vector engine.
      const Align alignment = std::max(layout_.getPreferredAlign(member), size >= 64 ? Align(64) : Align(1));
      end = alignTo(end, alignment);
      if (size > segment_limit || end + size > segment_limit) {
        fail(*member,
             "the __device__ and __constant__ variables take more than 1 GiB with this one: allocate a buffer and pass "
             "it as an argument");
        return false;
      }
      offsets_[member] = end;
      auto* number = ConstantInt::get(Type::getInt64Ty(module_.getContext()), end);
      member->setMetadata("lanza.offset", MDNode::get(module_.getContext(), ConstantAsMetadata::get(number)));
      // The host and other kernels of the module write it too: its initialiser says nothing of its value when a kernel
      // starts.
      if (!member->isConstant()) member->setExternallyInitialized(true);
      end += size;
    }
    if (first_zero == order.end()) result_.data.assign(end, '\0');
    result_.data_bytes = end;
    return true;
  }

  // ---- what is in them

  void write(const GlobalVariable& member) {
    if (!write_constant(*member.getInitializer(), offsets_[&member]))
      fail(member,
           "the initial value of this variable cannot be known before a launch on the CPU device: addresses of "
           "__shared__ variables are not supported in initialisers; set it in a kernel");
  }

  void write_integer(const APInt& value, std::uint64_t offset, std::uint64_t bytes) {
    const APInt wide = value.zextOrTrunc(static_cast<unsigned>(bytes * 8));
    for (std::uint64_t i = 0; i < bytes; ++i)
      result_.data[offset + i] = static_cast<char>(wide.extractBitsAsZExtValue(8, static_cast<unsigned>(8 * i)));
  }

  bool write_constant(const Constant& constant, std::uint64_t offset) {
    if (constant.isNullValue() || isa<UndefValue>(constant)) return true;
    const std::uint64_t size = layout_.getTypeStoreSize(constant.getType());
    if (auto* integer = dyn_cast<ConstantInt>(&constant)) return write_integer(integer->getValue(), offset, size), true;
    if (auto* real = dyn_cast<ConstantFP>(&constant))
      return write_integer(real->getValueAPF().bitcastToAPInt(), offset, size), true;
    if (auto* data = dyn_cast<ConstantDataSequential>(&constant)) {
      const StringRef bytes = data->getRawDataValues();
      result_.data.replace(offset, bytes.size(), bytes.data(), bytes.size());
      return true;
    }
    if (auto* aggregate = dyn_cast<ConstantAggregate>(&constant)) return write_aggregate(*aggregate, offset);
    return write_address(constant, offset);
  }

  bool write_aggregate(const ConstantAggregate& aggregate, std::uint64_t offset) {
    auto* structure = dyn_cast<StructType>(aggregate.getType());
    const std::uint64_t stride =
        structure ? 0 : layout_.getTypeAllocSize(aggregate.getOperand(0)->getType()).getFixedValue();
    for (unsigned i = 0; i < aggregate.getNumOperands(); ++i) {
      const std::uint64_t place =
          structure ? layout_.getStructLayout(structure)->getElementOffset(i).getFixedValue() : i * stride;
      if (!write_constant(*aggregate.getOperand(i), offset + place)) return false;
    }
    return true;
  }

  /// A pointer to a variable, or into one.
  bool write_address(const Constant& constant, std::uint64_t offset) {
    const Constant* pointer = &constant;
    if (auto* cast = dyn_cast<ConstantExpr>(pointer); cast && cast->isCast()) {
      // A number as a pointer: offsets in virtual tables.
      if (cast->getOpcode() == Instruction::IntToPtr) return write_constant(*cast->getOperand(0), offset);
      if (cast->getOpcode() == Instruction::PtrToInt) pointer = cast->getOperand(0);
    }
    if (!pointer->getType()->isPointerTy() || layout_.getTypeStoreSize(constant.getType()) != 8) return false;
    if (auto* function = dyn_cast<Function>(pointer)) {
      write_integer(APInt(64, function_number(*function)), offset, 8);
      return true;
    }
    APInt distance(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    auto* target = dyn_cast<GlobalVariable>(
        pointer->stripAndAccumulateConstantOffsets(layout_, distance, /*AllowNonInbounds=*/true));
    const auto found = offsets_.find(target);
    if (!target || found == offsets_.end()) return false;
    write_integer(APInt(64, found->second + distance.getSExtValue()), offset, 8);
    result_.relocations.push_back(offset);
    return true;
  }

  // ---- what is said of them

  void report(const GlobalVariable& member) {
    if (!is_visible(member)) return;
    const clang::VarDecl* declaration = declaration_of(member, generator_);
    Variable v;
    v.symbol = member.getName().str();
    v.name = written_name(*declaration, instance_.getASTContext());
    v.offset = offsets_[&member];
    v.size = layout_.getTypeAllocSize(member.getValueType());
    v.constant = declaration->hasAttr<clang::CUDAConstantAttr>();
    v.folded = is_folded(member);
    const std::vector<std::size_t> expressions = entities_.expressions_for(declaration);
    if (expressions.empty()) result_.variables.push_back(v);
    for (std::size_t i : expressions) {
      v.expression.assign(names_[i].data, names_[i].size);
      result_.variables.push_back(v);
    }
  }

  void fail(const GlobalVariable& member, StringRef sentence) {
    const clang::VarDecl* declaration = declaration_of(member, generator_);
    clang::DiagnosticsEngine& diagnostics = instance_.getDiagnostics();
    diagnostics.Report(declaration ? declaration->getLocation() : clang::SourceLocation(),
                       diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0"))
        << sentence;
  }

  clang::CompilerInstance& instance_;
  clang::CodeGenerator& generator_;
  Module& module_;
  const NamedEntities& entities_;
  const LanzaBytes* names_;
  Compiled& result_;
  const DataLayout& layout_;
  SetVector<GlobalVariable*> members_;
  DenseMap<const GlobalVariable*, std::uint64_t> offsets_;
};

}  // namespace

void lay_out_variables(clang::CompilerInstance& instance, clang::CodeGenerator& generator, Module& module,
                       const NamedEntities& entities, const LanzaBytes* names, Compiled& result) {
  Segment(instance, generator, module, entities, names, result).build();
}

}  // namespace lanza::compiler
