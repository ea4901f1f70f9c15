"""The test of the architecture test: each rule finds the violation that is planted, and leaves what is right alone."""

import tempfile
import unittest
from pathlib import Path

import rules


class RulesTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def plant(self, path: str, text: str, opening: str = "// A file.\n") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(opening + text)

    def assert_found(self, path: str, text: str, expected: str, opening: str = "// A file.\n") -> None:
        self.plant(path, text, opening)
        found = [str(v) for v in rules.check(self.root) if v.path == path]
        self.assertTrue(any(expected in line for line in found), f"{path}: {found}")
        (self.root / path).unlink()

    def assert_clean(self, path: str, text: str, opening: str = "// A file.\n") -> None:
        self.plant(path, text, opening)
        self.assertEqual([str(v) for v in rules.check(self.root) if v.path == path], [])
        (self.root / path).unlink()

    def test_a_folder_includes_what_stands_below_it(self) -> None:
        self.assert_clean(
            "src/runtime/a.cpp",
            '#include "backend/backend.hpp"\n#include <lanza/device.hpp>\n#include "support/file.hpp"\n',
        )
        self.assert_clean(
            "src/backend/cpu/a.cpp",
            '#include "backend/cpu/b.hpp"\n#include "compiler/loader.hpp"\n#include <lanza/error.hpp>\n',
        )
        self.assert_clean("tools/a.cpp", "#include <lanza/lanza.hpp>\n#include <CLI/CLI.hpp>\n")

    def test_never_what_stands_above(self) -> None:
        for path, include in (
            ("src/support/a.cpp", '"backend/backend.hpp"'),
            ("src/support/a.cpp", "<lanza/device.hpp>"),
            ("src/backend/backend.hpp", '"runtime/records.hpp"'),
            ("src/backend/cpu/a.cpp", '"backend/cuda/stream.hpp"'),
            ("src/backend/cuda/a.cpp", '"backend/cpu/pool.hpp"'),
            ("src/backend/cuda/a.cpp", '"runtime/records.hpp"'),
            ("src/backend/cuda/a.cpp", "<lanza/buffer.hpp>"),
            ("src/backend/cpu/a.cpp", '"compiler/passes/contract.hpp"'),
            ("src/runtime/a.cpp", '"backend/cuda/stream.hpp"'),
            ("src/runtime/a.cpp", '"compiler/frontend/compile.hpp"'),
            ("src/compiler/interface.h", '"support/hash.hpp"'),
            ("src/compiler/loader.cpp", '"runtime/records.hpp"'),
            ("src/compiler/passes/a.cpp", '"backend/backend.hpp"'),
            ("tools/a.cpp", '"backend/cpu/pool.hpp"'),
            ("examples/a.cpp", '"support/file.hpp"'),
        ):
            self.assert_found(path, f"#include {include}\n", "which it may not know")

    def test_a_file_beside_the_includer_counts_with_its_folder(self) -> None:
        self.plant("src/compiler/results.hpp", "#pragma once\n")
        self.assert_found(
            "src/compiler/kernel_abi.h", '#pragma once\n#include "results.hpp"\n', "which it may not know"
        )

    def test_no_way_round_by_dots(self) -> None:
        self.assert_found("src/support/a.cpp", '#include "../runtime/records.hpp"\n', '".."')

    def test_libraries_have_their_places(self) -> None:
        for path, include in (
            ("src/runtime/a.cpp", "<llvm/IR/Module.h>"),
            ("src/compiler/loader.cpp", "<tbb/task_arena.h>"),
            ("src/support/a.cpp", "<CLI/CLI.hpp>"),
            ("src/runtime/a.cpp", "<nanobind/nanobind.h>"),
            ("src/backend/cuda/a.cpp", "<cuda.h>"),
            ("src/backend/cuda/a.cpp", "<nvrtc.h>"),
            ("src/runtime/a.cpp", "<xxhash.h>"),
        ):
            self.assert_found(path, f"#include {include}\n", "may include")
        self.assert_clean("src/compiler/passes/a.cpp", "#include <llvm/IR/Module.h>\n")
        self.assert_clean("tests/a.cpp", 'auto source = R"(\n#include <cuda_runtime.h>\n)";\n')
        self.assert_clean("src/backend/cpu/a.cpp", "#include <tbb/task_arena.h>\n")

    def test_only_the_cuda_backend_names_the_driver(self) -> None:
        self.assert_found("src/runtime/a.cpp", "int x = cuInit(0);\n", "names the CUDA driver (cuInit)")
        self.assert_found("src/backend/cpu/a.cpp", "auto f = &nvrtcVersion;\n", "names NVRTC")
        self.assert_found("src/runtime/a.cpp", "llvm::Module* m;\n", "names LLVM")
        self.assert_clean("src/backend/cuda/a.cpp", "int x = cuInit(0);\n")
        self.assert_clean(
            "src/runtime/a.cpp",
            '// cuInit is called there\nauto s = "cuInit"; /* cuInit */ auto r = R"x(cuInit())x"; int cut;\n',
        )

    def test_public_headers_need_the_standard_library_only(self) -> None:
        for include in ("<fmt/format.h>", "<unistd.h>", '"support/hash.hpp"'):
            self.assert_found("include/lanza/a.hpp", f"#pragma once\n#include {include}\n", "a public header includes")
        self.assert_clean("include/lanza/a.hpp", "#pragma once\n#include <vector>\n#include <lanza/error.hpp>\n")

    def test_headers_are_guarded(self) -> None:
        self.assert_found("src/support/a.hpp", "int x;\n", "#pragma once")
        self.assert_found("include/lanza/a.hpp", "#ifndef A\n#define A\n#endif\n", "#pragma once")
        self.assert_clean("src/compiler/a.h", "#ifndef A\n#define A\n#endif\n")

    def test_files_open_with_their_purpose(self) -> None:
        self.assert_found("src/support/a.cpp", "#include <vector>\n", "what it is for", opening="")
        self.assert_found("python/lanza/a.py", "import os\n", "what it is for", opening="")
        self.assert_clean("python/lanza/a.py", "import os\n", opening='"""A module."""\n')
        self.plant("src/support/b.hpp", "#pragma once\n")
        self.assert_clean("src/support/b.cpp", '#include "support/b.hpp"\n', opening="")

    def test_files_are_short_or_listed_with_a_reason(self) -> None:
        long = "int x;\n" * rules.MAX_LINES
        self.assert_found("src/support/a.cpp", long, "look for the second idea")
        self.plant(rules.LONG_FILES, "src/support/a.cpp: one table\n", opening="# Long files.\n")
        self.assert_clean("src/support/a.cpp", long)
        self.assert_found(rules.LONG_FILES, "src/support/gone.cpp: one table\n", "not longer", opening="")
        self.assert_found(rules.LONG_FILES, "src/support/a.cpp:\n", "without a reason", opening="")

    def test_no_directories_of_one_machine(self) -> None:
        for folder in ("work", "root"):
            self.assert_found("docs/a.md", f"see /{folder}/main\n", "one machine")
            self.assert_clean("docs/a.md", f"see https://example.org/{folder}/main and $HOME/{folder}/x\n")

    def test_builds_and_third_parties_are_left_alone(self) -> None:
        for folder in ("build", "build-asan", "third_party", ".venv"):
            self.assert_clean(f"{folder}/src/a.hpp", "/" + "work/x\n")


if __name__ == "__main__":
    unittest.main()
