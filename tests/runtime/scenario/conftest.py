"""What the tests of scenario files share: a small workspace in a folder of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sera.runtime.scenario import Scenario, ScenarioError, load_scenario
from sera.runtime.workspace import Workspace

GREETER = """
from typing import Literal
from pydantic import Field
from sera import Module

class Greeter(Module):
    class Settings(Module.Settings):
        category: str = "greeting"
        wait_s: float = Field(default=1.0, gt=0)
        style: Literal["warm", "cool"] = "warm"
"""
NEEDY = """
from sera import Module

class Needy(Module):
    class Settings(Module.Settings):
        port: str
"""
BODY = '[robot]\ntitle = "Adelino"\n'


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for key in [key for key in sys.modules if key.partition(".")[0] in ("modules", "robots")]:
        del sys.modules[key]


class Lab:
    """A workspace in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace([root], own=root)
        self.write("modules/greeter/__init__.py", GREETER)
        self.write("modules/needy/__init__.py", NEEDY)
        self.write("robots/adelino/body.toml", BODY)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def load(self, text: str, condition: str | None = None) -> Scenario:
        self.write("scenarios/hello/scenario.toml", text)
        return load_scenario("hello", self.workspace, condition)

    def problems(self, text: str, condition: str | None = None) -> list[str]:
        with pytest.raises(ScenarioError) as caught:
            self.load(text, condition)
        assert str(caught.value).count("\n") == len(caught.value.problems)
        return [
            re.sub(r"^\S*/(scenario\.toml)?", "", str(problem)) for problem in caught.value.problems
        ]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)
