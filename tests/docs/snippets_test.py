"""Compiles and runs the snippets of README.md and docs/: those of one language on one page are one program.

Usage: snippets_test.py cpp ROOT COMPILER LIBRARY_FOLDER | snippets_test.py python ROOT
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PREAMBLE = "".join(f"#include <{name}>\n" for name in ("cassert", "cstdio", "lanza/lanza.hpp", "numeric", "vector"))


def snippets(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def cpp_program(blocks: list[str]) -> str:
    """Blocks with a main stand alone; the others are the body of one."""
    if any("int main(" in block for block in blocks):
        if len(blocks) != 1:
            raise SystemExit("a page with a main has one C++ snippet")
        return blocks[0]
    return f"{PREAMBLE}int main() {{\n{''.join(blocks)}}}\n"


def run(*command: str | Path) -> None:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=200)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} returned {result.returncode}\n{result.stdout}{result.stderr}")


def run_cpp(root: Path, blocks: list[str], folder: Path, compiler: str, libraries: str) -> None:
    source, program = folder / "snippet.cpp", folder / "snippet"
    source.write_text(cpp_program(blocks))
    flags = (
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{root / 'include'}",
        f"-L{libraries}",
        f"-Wl,-rpath,{libraries}",
    )
    run(compiler, *flags, source, "-o", program, "-llanza")
    run(program)


def run_python(blocks: list[str], folder: Path) -> None:
    source = folder / "snippet.py"
    source.write_text("\n".join(blocks))
    run(sys.executable, source)


def main() -> None:
    language, root = sys.argv[1], Path(sys.argv[2])
    tested = 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        blocks = snippets(page, language)
        if not blocks:
            continue
        with tempfile.TemporaryDirectory(prefix="lanza-docs-") as name:
            try:
                if language == "cpp":
                    run_cpp(root, blocks, Path(name), *sys.argv[3:])
                else:
                    run_python(blocks, Path(name))
            except SystemExit as error:
                raise SystemExit(f"{page.relative_to(root)}: {error}") from None
        tested += len(blocks)
    if tested < 5:
        raise SystemExit(f"only {tested} snippets found: the pages or this test are wrong")
    print(f"snippets test: {tested} {language} snippets ran")


if __name__ == "__main__":
    main()
