"""Collects the conformance cases: a test for each case and engine that this machine has."""

from __future__ import annotations

import functools
import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import who_ran
from engines import DEBUG, ENGINES, FOLDED, NVRTC, QUICK, VECTOR, Engine, why_unusable
from harness import Case, NotCounted

import lanza

results = pytest.StashKey[list[dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--results", metavar="FILE", help="write case, engine, outcome and what ran it as JSON")
    group.addoption(
        "--engines",
        metavar="NAMES",
        help="only these, by commas; also vector8, vector16 and vector32, debug (-G) and nvrtc (compiles only)",
    )
    group.addoption(
        "--all-shapes",
        action="store_true",
        help="every block shape on every engine, also those that take a sample of them",
    )


@functools.cache
def commit() -> str:
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def draws(what: str) -> Random:
    """Decides what a sampled engine runs: every commit something else, and the same again."""
    return Random(hashlib.sha256(f"{commit()} {what}".encode()).digest())


def chosen(config: pytest.Config) -> list[Engine]:
    names = config.getoption("--engines")
    if not names:
        return list(ENGINES)
    known = {engine.name: engine for engine in (*ENGINES, *VECTOR, QUICK, FOLDED, DEBUG, NVRTC)}
    if unknown := [name for name in names.split(",") if name not in known]:
        raise pytest.UsageError(f"no engine {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names.split(",")]


def pytest_configure(config: pytest.Config) -> None:
    config.stash[results] = []


def pytest_report_header(config: pytest.Config) -> list[str]:
    lines = []
    for engine in chosen(config):
        why = why_unusable(engine.device)
        lines.append(f"engine {engine.name}: " + (f"SKIPPED, {why}" if why else "runs the cases"))
    return lines


class CaseItem(pytest.Item):
    """One case on one engine."""

    def __init__(self, *, case: Case, engine: Engine, value: Any, label: str, **rest: Any):
        super().__init__(**rest)
        self.case, self.engine, self.value, self.label = case, engine, value, label

    def sample(self) -> Random | None:
        if self.config.getoption("--all-shapes"):
            return None
        return draws(self.nodeid)

    def runtest(self) -> None:
        outcome, reason = "failed", ""
        try:
            self.case.check(self.engine, self.value, self.sample())
            outcome = "passed"
        except NotCounted as why:
            outcome, reason = ("compiled" if self.engine is NVRTC else "-"), str(why)
        except pytest.skip.Exception as why:
            outcome, reason = "skipped", str(why)
            raise
        except BaseException as error:
            reason = f"block {self.case.shape}: {error}"
            raise
        finally:
            self.config.stash[results].append(
                {
                    "part": self.path.stem.removeprefix("test_"),
                    "case": self.label,
                    "title": self.case.title,
                    "engine": self.engine.name,
                    "outcome": outcome,
                    "reason": reason,
                    "ran": who_ran.of_case(self.case.ran),
                }
            )
        if outcome == "-":
            pytest.skip(f"not counted: another engine than {self.engine.name} ran the kernel")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        where = f"{self.label} on {self.engine.name}, block {self.case.shape}"
        if isinstance(excinfo.value, (AssertionError, lanza.Error)):
            return f"{where}: {type(excinfo.value).__name__}: {excinfo.value}"
        return f"{where}\n{super().repr_failure(excinfo, 'short')}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.function.__code__.co_firstlineno - 1, self.name


class MissingEngine(pytest.Item):
    """The one line that says that a device ran nothing."""

    def runtest(self) -> None:
        pytest.skip(f"no case ran on {self.name}: {why_unusable(self.name)}")

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    return list(items(collector, name, obj)) if isinstance(obj, Case) else None


def items(collector: pytest.Collector, name: str, case: Case) -> Iterator[pytest.Item]:
    for label, value in (case.values or {"": None}).items():
        full = f"{name}[{label}]" if label else name
        for engine in chosen(collector.config):
            if not why_unusable(engine.device):
                if engine.name == "vector":
                    engine = draws(full).choice(VECTOR)
                item = f"{name}[{label}-{engine.name}]" if label else f"{name}[{engine.name}]"
                yield CaseItem.from_parent(collector, name=item, case=case, engine=engine, value=value, label=full)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = dict.fromkeys(engine.device for engine in chosen(config) if why_unusable(engine.device))
    items += [MissingEngine.from_parent(session, name=device) for device in missing]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if any(result["ran"]["shapes"] for result in config.stash[results]):
        terminalreporter.section("what ran the cases")
        terminalreporter.write("".join(f"{line}\n" for line in who_ran.lines(config.stash[results])))


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--results")
    if file:
        Path(file).write_text(json.dumps(session.config.stash[results], indent=1) + "\n")
