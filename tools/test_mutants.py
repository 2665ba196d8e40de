"""Tries whether the tests would notice: small faults in the core, one at a time.

    python tools/test_mutants.py [--count 80] [--seed 19] [--tests REVISION] [--only AREA …]

Faults (a sign, a bound, swapped arguments, a dropped await, a missing branch) are drawn by a seed
from the files of `AREAS`, the same number from each. First the tests of these areas run once with
coverage, to learn which test reaches which line. Then each fault is applied in a copy of the
checkout, and the tests that reach its line run, quickest first, until one fails. A fault that no
test notices is a survivor: look at it, and add a test if it shows a hole. Some are equivalent: no
test could notice them. `--tests` takes the tests of another revision, to compare two suites.

Two faults are tried at a time, each in a copy and with a cache of compiled kernels of its own.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest

ROOT = Path(__file__).parents[1]
MOST_S = 120.0
"""One fault has so long; tests that hang have noticed it."""
SIDE_BY_SIDE = 2
FAILING = re.compile(r"^(?:FAILED|ERROR) (tests/\S+)", re.MULTILINE)
WITH_COVERAGE = ("--cov=sera", "--cov-context=test", "--cov-report=", "--cov-config=/dev/null")
"""Without the settings of `make test-coverage`: what child processes reach belongs to no test."""

# What is faulted, and the tests that know it: files by pattern below sera/, folders below tests/.
AREAS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "bus": (("bus/_memory.py", "bus/_mqtt.py", "bus/_port.py"), ("bus",)),
    "codec": (("bus/_codec.py", "bus/_topics.py"), ("bus", "messages")),
    "delivery": (("runtime/_delivery.py", "runtime/_outbox.py"), ("runtime",)),
    "ledger": (("runtime/_ledger.py",), ("runtime",)),
    "gate": (("runtime/_gate.py",), ("runtime", "modules/test_hello_modules.py")),
    "gaze machine": (("behaviour/gaze/_[flmop]*.py",), ("behaviour/gaze",)),
    "markup": (("behaviour/markup/*.py",), ("behaviour/markup", "behaviour/library")),
    "selection": (("behaviour/selection/*.py",), ("behaviour/selection",)),
    "performer": (("behaviour/performing/*.py",), ("behaviour/performing",)),
    "dialogue": (
        (
            "behaviour/dialogue/[mw]*.py",
            "behaviour/dialogue/*conditions.py",
            "behaviour/dialogue/_when*.py",
        ),
        ("behaviour/dialogue",),
    ),
    "ERIK": (("kinematics/erik/*.py",), ("kinematics/erik", "evaluation/test_erik_run.py")),
    "filter": (("kinematics/_filter_[krv]*.py", "kinematics/filter.py"), ("kinematics",)),
    "guard": (("animation/output/guard.py", "animation/output/_limiter.py"), ("animation/output",)),
    "blending": (("animation/frame/*.py",), ("animation/frame", "animation/engine")),
    "priority": (("kinematics/priority/*.py",), ("kinematics/priority",)),
    "statistics": (("study/analysis/*.py",), ("study/analysis",)),
    "assignment": (
        ("study/design/assignment.py", "study/design/ledger.py", "study/design/_[cgo][hr]*.py"),
        ("study",),
    ),
    "freezing": (
        ("study/sessions/freeze.py", "study/sessions/_inputs.py"),
        ("study", "cli/test_study_session_command.py"),
    ),
    "erasure": (
        ("study/sessions/erase.py", "recording/_erase.py"),
        ("study", "recording", "cli/test_study_session_command.py"),
    ),
    "roles": (("web/_roles.py", "web/_operators.py"), ("web",)),
}
SIGNS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
OBVIOUS = ("isinstance", "issubclass", "getattr", "setattr", "hasattr", "next", "get", "pop")
"""Calls that any test notices if their arguments are swapped: too easy."""
BOUNDS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


@dataclass(frozen=True)
class Fault:
    """One small fault: what stands at a place of a file, and what stands there instead."""

    area: str
    path: str
    kind: str
    line: int
    statement: int
    """The line on which its statement begins: the one that coverage knows."""
    begin: int
    end: int
    was: str
    becomes: str

    def __str__(self) -> str:
        was, becomes = (" ".join(text.split()) for text in (self.was, self.becomes))
        return f"{self.path}:{self.line} ({self.kind}) {was} → {becomes}"


def faults_in(area: str, path: Path) -> Iterator[Fault]:
    """Every fault that could be made in a file."""
    text = path.read_text(encoding="utf-8")
    begins = [0]
    for line in text.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    tree = ast.parse(text)
    unused = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Assert | ast.AnnAssign)
        for inner in ast.walk(node)
        if not isinstance(node, ast.AnnAssign) or inner is not node.value
    }
    begun: dict[int, int] = {}
    for node in ast.walk(tree):  # from the outside to the inside
        if isinstance(node, ast.stmt):
            begun |= {id(inner): node.lineno for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in unused:
            continue
        for kind, place, becomes in _changes(node):
            begin = begins[place.lineno - 1] + place.col_offset
            end = begins[(place.end_lineno or 1) - 1] + (place.end_col_offset or 0)
            was = text.encode()[begin:end].decode()
            if "TYPE_CHECKING" not in was and becomes != was:
                name = path.relative_to(ROOT).as_posix()
                line = place.lineno
                yield Fault(area, name, kind, line, begun[id(node)], begin, end, was, becomes)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    match node:
        case ast.BinOp(left, operator, right) if type(operator) in SIGNS and not _is_text(node):
            other = ast.BinOp(left, SIGNS[type(operator)](), right)
            yield "sign", node, f"({ast.unparse(other)})"
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            yield "sign", node, f"({ast.unparse(operand)})"
        case ast.Compare(left, [operator], [right]) if type(operator) in BOUNDS:
            other_bound = ast.Compare(left, [BOUNDS[type(operator)]()], [right])
            yield "bound", node, f"({ast.unparse(other_bound)})"
        case ast.Call(ast.Name("min" | "max" as name), _, []):
            yield "bound", node.func, "max" if name == "min" else "min"
        case ast.Call(function, [first, second, *more], words) if not (
            ast.dump(first) == ast.dump(second)
            or {type(first), type(second)} & {ast.Starred, ast.GeneratorExp}
            or ast.unparse(function).rpartition(".")[2] in OBVIOUS
        ):
            swapped = ast.Call(function, [second, first, *more], words)
            yield "argument", node, ast.unparse(swapped)
        case ast.Await(value):
            yield "await", node, ast.unparse(value)
        case ast.If(test) | ast.IfExp(test) if not isinstance(test, ast.Constant):
            yield "branch", test, "False"
        case ast.BoolOp(operator, values):
            flipped = ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            yield "branch", node, f"({ast.unparse(flipped)})"


def _is_text(node: ast.BinOp) -> bool:
    """Whether text or a path is put together: a fault there is no small one."""
    return any(
        isinstance(inner, ast.JoinedStr)
        or (isinstance(inner, ast.Constant) and isinstance(inner.value, str | bytes))
        for inner in ast.walk(node)
    )


def draw(count: int, seed: int, areas: list[str]) -> list[Fault]:
    """The same number from every area; of each, first a kind and then a place."""
    chance = random.Random(seed)
    drawn: list[Fault] = []
    for number, area in enumerate(areas):
        found: dict[str, list[Fault]] = {}
        for pattern in AREAS[area][0]:
            for path in sorted((ROOT / "sera").glob(pattern)):
                for fault in faults_in(area, path):
                    found.setdefault(fault.kind, []).append(fault)
        share = count // len(areas) + (number < count % len(areas))
        for _ in range(share):
            kind = chance.choice(sorted(kind for kind, ones in found.items() if ones))
            drawn.append(found[kind].pop(chance.randrange(len(found[kind]))))
    return drawn


def copy_checkout(folder: Path, tests_of: str | None) -> Path:
    """The files that git knows, as they are; the tests of another revision if one is named."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not (tests_of and name.startswith("tests/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if tests_of:
        archive = subprocess.run(
            ["git", "archive", tests_of, "tests"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "x"], cwd=folder, input=archive.stdout, check=True)
    return folder


def run_pytest(
    folder: Path, arguments: list[str], limit_s: float, **environment: str
) -> tuple[int | None, str]:
    """Run tests of a copy; returns pytest's code, None if the time was up, and what it said."""
    paths = os.pathsep.join((str(folder), str(ROOT / "tools")))
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None, ""
    return process.returncode, said


class Reach:
    """Which tests reach which line, and how long each takes."""

    def __init__(self, folder: Path, areas: list[str]) -> None:
        self._areas_tests = {area: [f"tests/{name}" for name in AREAS[area][1]] for area in areas}
        named = {name for names in self._areas_tests.values() for name in names}
        paths = [name for name in sorted(named) if (folder / name).exists()]
        times = folder / "times.jsonl"
        # Compiled kernels cannot be watched: their files are reached by all tests of their area.
        code, said = run_pytest(
            folder,
            [f"-n{SIDE_BY_SIDE}", "-ptest_mutants", *WITH_COVERAGE, *paths],
            MOST_S * 10,
            SERA_TEST_TIMES=str(times),
        )
        if code not in (0, 1):
            sys.exit(f"the tests could not run:\n{said[-3000:]}")
        for test in FAILING.findall(said):
            print(f"left out, since it fails without a fault: {test}", flush=True)
        lines = times.read_text(encoding="utf-8").splitlines()
        self.seconds: dict[str, float] = dict(json.loads(line) for line in lines)
        self._data = sqlite3.connect(folder / ".coverage", check_same_thread=False)

    def tests_for(self, fault: Fault) -> list[str]:
        """The tests of the fault's area that reach its line, quickest first."""
        known = self._areas_tests[fault.area]
        of_area = [test for test in self.seconds if test.startswith(tuple(known))]
        reaching = self._contexts(fault)
        chosen = [test for test in of_area if test in reaching] if reaching else of_area
        return sorted(chosen, key=lambda test: self.seconds[test])

    def _contexts(self, fault: Fault) -> set[str]:
        rows = self._data.execute(
            "select context.context, line_bits.numbits from line_bits"
            " join file on file.id = line_bits.file_id"
            " join context on context.id = line_bits.context_id where file.path like ?",
            (f"%/{fault.path}",),
        )
        byte, bit = divmod(fault.statement, 8)
        return {
            context.partition("|")[0]
            for context, bits in rows
            if byte < len(bits) and bits[byte] & (1 << bit)
        } - {""}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """As a plug-in of the first run: how long each test takes."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if not is_worker and report.passed and report.when == "call":
        with Path(os.environ["SERA_TEST_TIMES"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([report.nodeid, report.duration]) + "\n")


def try_fault(folder: Path, fault: Fault, tests: list[str]) -> str:
    """Apply a fault, run the tests that reach it, mend it; returns the verdict."""
    path = folder / fault.path
    whole = path.read_bytes()
    path.write_bytes(whole[: fault.begin] + fault.becomes.encode() + whole[fault.end :])
    try:
        if not tests:
            return "no test reaches it"
        (folder / "chosen.txt").write_text("\n".join(tests), encoding="utf-8")
        # A mutant's kernels are nobody else's business.
        cache = str(folder / "cache")
        code, said = run_pytest(folder, ["-x", "@chosen.txt"], MOST_S, XDG_CACHE_HOME=cache)
        if code == 0:
            return "SURVIVED"
        failed = FAILING.search(said)
        return f"caught by {failed[1]}" if failed else "caught: the tests hung or broke"
    finally:
        path.write_bytes(whole)


def main() -> None:
    """Draw, try, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--tests", metavar="REVISION", help="take the tests of this revision")
    parser.add_argument("--only", metavar="AREA", nargs="+", choices=AREAS, default=list(AREAS))
    asked = parser.parse_args()
    began_s = time.monotonic()
    faults = draw(asked.count, asked.seed, asked.only)
    with tempfile.TemporaryDirectory(prefix="sera-mutants-") as made:
        copies: SimpleQueue[Path] = SimpleQueue()
        user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sera"
        for number in range(SIDE_BY_SIDE):
            copy = copy_checkout(Path(made) / str(number), asked.tests)
            if user_cache.is_dir():
                shutil.copytree(user_cache, copy / "cache" / "sera")
            copies.put(copy)
        reach = Reach(Path(made) / "0", asked.only)
        spent_s = time.monotonic() - began_s
        print(f"{len(reach.seconds)} tests watched ({spent_s:.0f} s)", flush=True)

        def take(fault: Fault) -> str:
            copy = copies.get()
            try:
                started_s = time.monotonic()
                verdict = try_fault(copy, fault, reach.tests_for(fault))
                print(f"{fault}: {verdict} ({time.monotonic() - started_s:.0f} s)", flush=True)
                return verdict
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            verdicts = list(pool.map(take, faults))
    print(f"\n| area | caught of {len(faults)} |\n|---|---|")
    for area in asked.only:
        own = [v for f, v in zip(faults, verdicts, strict=True) if f.area == area]
        print(f"| {area} | {sum(v.startswith('caught') for v in own)} of {len(own)} |")
    caught = sum(verdict.startswith("caught") for verdict in verdicts)
    print(f"caught {caught} of {len(faults)} in {(time.monotonic() - began_s) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
