"""Installs the build into an empty prefix, moves the prefix, and builds and runs a project against it.

Usage: install_test.py BUILD CXX_COMPILER LIBDIR compiler|no-compiler
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def run(*command: str | Path, **environment: str) -> str:
    """Standard output of a command; its output and an exception when it fails."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("LANZA_", "LD_"))}
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**variables, **environment})
    if result.returncode != 0:
        print(result.stdout, result.stderr, sep="\n")
        raise SystemExit(f"install test: {' '.join(map(str, command))} returned {result.returncode}")
    return result.stdout


def check_layout(prefix: Path, libdir: str, with_compiler: bool) -> None:
    expected = ["include/lanza/lanza.hpp", f"{libdir}/liblanza.so.0", f"{libdir}/liblanza.so", "bin/lanza"]
    expected += [f"{libdir}/cmake/lanza/lanzaConfig.cmake", "share/doc/lanza/LICENSE", "share/doc/lanza/NOTICE"]
    if with_compiler:
        expected.append(f"{libdir}/lanza/liblanza-compiler.so")
    for path in expected:
        assert (prefix / path).exists(), f"{path} was not installed"
    strange = [p for p in prefix.rglob("*") if p.suffix in {".cpp", ".o"} or p.name in {"backend.hpp", "interface.h"}]
    assert not strange, f"installed by mistake: {strange}"


def main() -> None:
    build, compiler, libdir, plugin = sys.argv[1:]
    with_compiler = plugin == "compiler"
    with tempfile.TemporaryDirectory(prefix="lanza-install-") as name:
        root = Path(name)
        run("cmake", "--install", build, "--prefix", root / "first")
        prefix = (root / "first").rename(root / "moved")  # nothing in it may name where it was put
        check_layout(prefix, libdir, with_compiler)

        cache = {"LANZA_CACHE_DIR": str(root / "cache")}
        version = run(prefix / "bin/lanza", "--version")
        assert version.startswith("lanza "), version
        run(prefix / "bin/lanza", "info", **cache)

        options = (f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "-S", HERE / "consumer", "-B", root / "consumer", *options)
        run("cmake", "--build", root / "consumer")
        output = run(root / "consumer/consumer", **cache)
        assert output.startswith("right" if with_compiler else "unavailable: "), output
    print(f"install test: installed, moved, found by find_package; the program said: {output.splitlines()[0][:60]}")


if __name__ == "__main__":
    main()
