#include "compiler/passes/ptx/translate.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>

#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

const Instructions& instructions() {
  static const Instructions table = [] {
    Instructions t;
    for (auto add :
         {add_arithmetic, add_integer_functions, add_carry, add_bits, add_float_functions, add_comparisons,
          add_conversions, add_moves, add_memory, add_atomics, add_warp_operations, add_barriers, add_mbarriers})
      add(t);
    return t;
  }();
  return table;
}

std::string why_not(StringRef name) {
  static constexpr StringRef kVideo[] = {"vadd",      "vsub",      "vabsdiff", "vmin",  "vmax",  "vshl",
                                         "vshr",      "vmad",      "vset",     "vadd2", "vsub2", "vavrg2",
                                         "vabsdiff2", "vmin2",     "vmax2",    "vset2", "vadd4", "vsub4",
                                         "vavrg4",    "vabsdiff4", "vmin4",    "vmax4", "vset4"};
  if (is_contained(kVideo, name)) return "the video instructions are not supported: use __vadd4 and its kin";
  if (name == "mma" || name == "wmma" || name == "wgmma" || name == "ldmatrix" || name == "stmatrix" ||
      name == "movmatrix" || name == "tcgen05")
    return "the instructions of tensor cores are not supported";
  if (name == "tex" || name == "tld4" || name == "txq" || name == "suld" || name == "sust" || name == "sured" ||
      name == "suq")
    return "the instructions of textures and surfaces are not supported";
  if (name == "call" || name == "ret" || name == "brx")
    return name.str() + " is not supported: an asm statement cannot leave itself";
  return "the instruction " + as_written(name) + " is not supported";
}

/// The operands of the statement: which are registers, which constants of the text.
struct Operands {
  struct Output {
    std::string name;
    llvm::Type* type;
  };
  std::vector<Output> outputs;
  std::vector<std::string> texts;  ///< for each operand what stands for it in the text
};

class Translator {
 public:
  Translator(const CallBase& call, Module& into)
      : call_(call),
        assembly_(*cast<InlineAsm>(call.getCalledOperand())),
        function_(Function::Create(call.getFunctionType(), GlobalValue::InternalLinkage, "__lanza_asm", into)),
        builder_(BasicBlock::Create(into.getContext(), "", function_)),
        clobbers_memory_(StringRef(assembly_.getConstraintString()).contains("~{memory}")),
        emitter_(builder_, assembly_.hasSideEffects() || clobbers_memory_) {}

  Function* run() {
    function_->addFnAttr(Attribute::AlwaysInline);
    function_->setDoesNotThrow();
    declare_operands();
    barrier_of_compiler();
    const std::vector<Statement> statements = parse(expand());
    for (const Statement& s : statements) statement(s);
    if (depth_ != 0) throw Problem{"'{' without '}'", "{", 0};
    for (auto& [name, label] : labels_)
      if (!label.defined) throw Problem{"the label " + name.str() + " does not exist", label.use, label.line};
    barrier_of_compiler();
    give_results();
    return function_;
  }

  void discard() { function_->eraseFromParent(); }

 private:
  struct Label {
    BasicBlock* block = nullptr;
    bool defined = false;
    std::string use;
    unsigned line = 0;
  };

  // What the compiler must not move across the statement.
  void barrier_of_compiler() {
    if (clobbers_memory_) builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  }

  static std::string name_of(std::size_t i) { return kOperand + std::to_string(i); }

  static unsigned bits_of(llvm::Type* type) {
    return type->isPointerTy() ? 64 : static_cast<unsigned>(type->getPrimitiveSizeInBits());
  }

  // The size that a constraint letter stands for.
  static unsigned bits_of(StringRef code) {
    if (code == "h") return 16;
    if (code == "r" || code == "f") return 32;
    if (code == "l" || code == "d") return 64;
    if (code == "q") return 128;
    throw Problem{"the constraint \"" + code.str() + "\" is not supported; there are h, r, l, q, f, d and n",
                  code.str(), 0};
  }

  void declare(StringRef code, llvm::Type* type, Value* initial) {
    const unsigned bits = bits_of(code);
    const std::string name = name_of(operands_.texts.size());
    if (bits_of(type) != bits)
      throw Problem{"an operand of " + std::to_string(bits_of(type)) + " bits stands under the constraint \"" +
                        code.str() + "\", which is for " + std::to_string(bits),
                    as_written(name), 0};
    emitter_.declare(name, Type{Type::Bits, bits}, initial);
    operands_.texts.push_back(name);
  }

  void declare_operands() {
    unsigned argument = 0, result = 0;
    auto* aggregate = dyn_cast<StructType>(call_.getType());
    for (const InlineAsm::ConstraintInfo& c : assembly_.ParseConstraints()) {
      if (c.Type == InlineAsm::isClobber) continue;
      const StringRef code = c.Codes.empty() ? StringRef() : StringRef(c.Codes[0]);
      if (c.isIndirect) throw Problem{"operands in memory are not supported: pass an address with \"l\"", "m", 0};
      if (c.Type == InlineAsm::isLabel) throw Problem{"asm goto is not supported", "goto", 0};
      if (c.Type == InlineAsm::isOutput) {
        llvm::Type* type = aggregate ? aggregate->getElementType(result) : call_.getType();
        ++result;
        operands_.outputs.push_back({name_of(operands_.texts.size()), type});
        declare(code, type, nullptr);
        continue;
      }
      input(code, argument++);
    }
  }

  void input(StringRef code, unsigned i) {
    if (isDigit(code.front())) {  // the same register as an output
      unsigned output = 0;
      code.getAsInteger(10, output);
      emitter_.set_register(name_of(output), function_->getArg(i));
      operands_.texts.push_back(name_of(output));
    } else if (code == "n" || code == "i") {
      auto* constant = dyn_cast<ConstantInt>(call_.getArgOperand(i));
      if (!constant) throw Problem{"an operand under the constraint \"n\" must be an integer constant", "n", 0};
      operands_.texts.push_back(std::to_string(constant->getSExtValue()));
    } else {
      declare(code, function_->getArg(i)->getType(), function_->getArg(i));
    }
  }

  // LLVM writes $0 for an operand, ${0:x} with a modifier, ${:uid} for a number of the statement's own, $$ for a
  // dollar.
  std::string expand() {
    StringRef text = assembly_.getAsmString();
    std::string expanded;
    while (!text.empty()) {
      const std::size_t dollar = text.find('$');
      expanded += text.take_front(dollar);
      if (dollar == StringRef::npos) break;
      text = text.drop_front(dollar + 1);
      if (text.consume_front("$")) {
        expanded += '$';
      } else if (text.consume_front("{:uid}")) {
        expanded += '0';
      } else {
        const bool braces = text.consume_front("{");
        unsigned i = 0;
        if (text.consumeInteger(10, i) || i >= operands_.texts.size())
          throw Problem{"a reference to an operand is malformed", text.take_front(20).str(), 0};
        if (braces) text = text.drop_front(std::min(text.size(), text.find('}') + 1));
        expanded += operands_.texts[i];
      }
    }
    return expanded;
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Open:
        ++depth_;
        return emitter_.open_scope();
      case Statement::Close:
        --depth_;
        return emitter_.close_scope();
      case Statement::Registers:
        return registers(s);
      case Statement::Label:
        return define(s);
      case Statement::Instruction:
        return instruction(s);
    }
  }

  void registers(const Statement& s) {
    if (s.declared.empty()) return;
    emitter_.begin(s);
    const auto type = type_of(s.name);
    if (!type) emitter_.fail("." + s.name + " is no type of registers that is supported");
    for (const Statement::Declared& d : s.declared) {
      if (d.count == 0) emitter_.declare(d.name, *type);
      for (unsigned i = 0; i < d.count; ++i) emitter_.declare(d.name + std::to_string(i), *type);
    }
  }

  Label& label(StringRef name, const Statement& s) {
    Label& l = labels_[name];
    if (!l.block) {
      l.block = BasicBlock::Create(builder_.getContext(), "", function_);
      l.use = s.text;
      l.line = s.line;
    }
    return l;
  }

  void define(const Statement& s) {
    Label& l = label(s.name, s);
    if (l.defined) throw Problem{"the label " + s.name + " is there twice", s.text, s.line};
    l.defined = true;
    builder_.CreateBr(l.block);
    builder_.SetInsertPoint(l.block);
  }

  BasicBlock* block() { return BasicBlock::Create(builder_.getContext(), "", function_); }

  Value* guard(const Statement& s) {
    Operand predicate;
    predicate.name = s.guard;
    predicate.negated = s.guard_negated;
    return emitter_.read_predicate(predicate);
  }

  void branch(const Statement& s) {
    emitter_.take("uni");
    emitter_.expect_operands(1);
    BasicBlock *to = label(s.operands[0].name, s).block, *next = block();
    if (s.guard.empty())
      builder_.CreateBr(to);
    else
      builder_.CreateCondBr(guard(s), to, next);
    builder_.SetInsertPoint(next);
  }

  void instruction(const Statement& s) {
    emitter_.begin(s);
    if (s.name == "bra") {
      branch(s);
      return emitter_.finish();
    }
    const auto translate = instructions().find(s.name);
    if (translate == instructions().end()) emitter_.fail(why_not(s.name));
    if (s.guard.empty()) {
      translate->second(emitter_);
      return emitter_.finish();
    }
    BasicBlock *taken = block(), *next = block();
    builder_.CreateCondBr(guard(s), taken, next);
    builder_.SetInsertPoint(taken);
    translate->second(emitter_);
    emitter_.finish();
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  }

  Value* result(const Operands::Output& output) {
    Value* bits = emitter_.load_register(output.name);
    if (output.type->isPointerTy()) return builder_.CreateIntToPtr(bits, output.type);
    return builder_.CreateBitCast(bits, output.type);
  }

  void give_results() {
    if (operands_.outputs.empty()) {
      builder_.CreateRetVoid();
      return;
    }
    if (!isa<StructType>(call_.getType())) {
      builder_.CreateRet(result(operands_.outputs[0]));
      return;
    }
    Value* all = PoisonValue::get(call_.getType());
    for (unsigned i = 0; i < operands_.outputs.size(); ++i)
      all = builder_.CreateInsertValue(all, result(operands_.outputs[i]), i);
    builder_.CreateRet(all);
  }

  const CallBase& call_;
  const InlineAsm& assembly_;
  Function* function_;
  IRBuilder<> builder_;
  const bool clobbers_memory_;
  Emitter emitter_;
  Operands operands_;
  StringMap<Label> labels_;
  unsigned depth_ = 0;
};

}  // namespace

Function* translate(const CallBase& call, Module& into) {
  if (isa<CallBrInst>(call))
    throw Problem{"asm goto is not supported", text_of(*cast<InlineAsm>(call.getCalledOperand())), 0};
  Translator translator(call, into);
  try {
    return translator.run();
  } catch (...) {
    translator.discard();
    throw;
  }
}

std::string text_of(const InlineAsm& assembly) {
  StringRef text = assembly.getAsmString();
  std::string written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '$')
      written += text[++i];
    else
      written += text[i] == '$' ? "%" : text[i] == '%' ? "%%" : std::string(1, text[i]);
  }
  return written;
}

}  // namespace lanza::compiler::ptx
