"""The command `lanza`: output, exit status, usage. Usage: command_test.py PATH_OF_LANZA."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LANZA = os.path.abspath(sys.argv.pop(1))


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def lanza(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "LANZA_CACHE_DIR": str(self.root / "cache"), **environment}
        variables.pop("VIRTUAL_ENV", None)
        return subprocess.run([LANZA, *arguments], capture_output=True, text=True, env=variables, timeout=120)

    def assert_usage_error(self, *arguments: str) -> None:
        result = self.lanza(*arguments)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertNotEqual(result.stderr, "")

    def test_help_and_version(self) -> None:
        result = self.lanza("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for command in ("info", "doctor", "cache", "run"):
            self.assertIn(command, result.stdout)
        self.assertRegex(self.lanza("--version").stdout, r"^lanza \d+\.\d+\.\d+\n$")

    def test_wrong_usage(self) -> None:
        self.assert_usage_error()
        self.assert_usage_error("inform")
        self.assert_usage_error("info", "more")
        self.assert_usage_error("cache", "burn")
        self.assert_usage_error("--no-such-option")
        self.assert_usage_error("run")
        self.assert_usage_error("run", "-m")
        self.assert_usage_error("run", "--no-such-option", "program.py")

    def test_info_shows_devices_and_cache(self) -> None:
        result = self.lanza("info")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^cpu +\S.*$")
        self.assertEqual(len(re.findall(r"\(default\)", result.stdout)), 1)
        self.assertRegex(result.stdout, r"memory \d+\.\d GiB, \d+\.\d [MG]iB free")
        self.assertIn(str(self.root / "cache"), result.stdout)

    def test_info_says_why_there_is_no_gpu(self) -> None:
        result = self.lanza("info", LANZA_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assertEqual(result.returncode, 0)
        self.assertIn("/nowhere/libcuda.so.1", result.stdout)

    def test_a_wrong_device_is_a_problem(self) -> None:
        result = self.lanza("info", LANZA_DEVICE="tpu")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^lanza: .*tpu")
        doctor = self.lanza("doctor", LANZA_DEVICE="tpu")
        self.assertEqual(doctor.returncode, 1)
        self.assertRegex(doctor.stdout, r"problems? found:\n(.*\n)*  LANZA_DEVICE: .*tpu")

    def test_doctor_runs_a_kernel(self) -> None:
        if not os.path.exists(os.environ.get("LANZA_COMPILER", "")):
            self.skipTest("LANZA_COMPILER names no compiler plug-in: built without LLVM")
        result = self.lanza("doctor", LANZA_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"\ncpu \(.*\)\n  ok: clang \S+ compiled it in ")
        self.assertIn("No problem found.", result.stdout)

    def test_doctor_says_what_to_do_without_the_compiler(self) -> None:
        result = self.lanza("doctor", LANZA_COMPILER="/nowhere/plugin.so", LANZA_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"1 problem found:\n  cpu: .*/nowhere/plugin.so.*LANZA_COMPILER")

    def test_doctor_sees_a_cache_that_others_can_write(self) -> None:
        (self.root / "cache").mkdir()
        (self.root / "cache").chmod(0o777)
        result = self.lanza("doctor")
        self.assertEqual(result.returncode, 1)
        self.assertIn("others can write to it", result.stdout)
        self.assertNotIn("others can write to it", self.lanza("doctor", LANZA_CACHE="0").stdout)

    def test_cache(self) -> None:
        folder = self.root / "cache"
        self.assertEqual(self.lanza("cache", "path").stdout, f"{folder}\n")
        self.assertIn("entries    0\n", self.lanza("cache").stdout)
        (folder / "ab").mkdir(parents=True)
        for path in (folder, folder / "ab"):
            path.chmod(0o700)
        (folder / "ab" / ("ab" * 16 + ".code")).write_bytes(b"x" * 2048)
        shown = self.lanza("cache", "show").stdout
        self.assertIn("size       2.0 KiB of 1.0 GiB\nentries    1\n  code     1 (2.0 KiB)\n", shown)
        self.assertEqual(self.lanza("cache", "clear").stdout, f"removed 1 entry, 2.0 KiB, from {folder}\n")
        self.assertIn("entries    0\n", self.lanza("cache", "show").stdout)

    def test_cache_with_a_wrong_size_says_so(self) -> None:
        result = self.lanza("cache", LANZA_CACHE_SIZE="big")
        self.assertEqual(result.returncode, 1)
        self.assertIn("LANZA_CACHE_SIZE", result.stderr)

    def test_run_hands_everything_to_python(self) -> None:
        fake = self.root / "python3"
        fake.write_text('#!/bin/sh\nfor word in "$@"; do echo "$word"; done\nexit 7\n')
        fake.chmod(0o755)
        result = self.lanza("run", "-m", "package.program", "--help", "-m", "a b", PATH=f"{self.root}:/usr/bin:/bin")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(
            result.stdout.splitlines(), ["-m", "lanza", "run", "-m", "package.program", "--help", "-m", "a b"]
        )

    def test_run_without_python(self) -> None:
        result = self.lanza("run", "program.py", PATH=str(self.root))
        self.assertEqual(result.returncode, 1)
        self.assertIn("install Python", result.stderr)


if __name__ == "__main__":
    unittest.main()
