"""Folders of runs: `runs/<run-id>/` with the log, a description of the run, and the originals.

The base folder is the one named by the environment variable SERA_RUNS, otherwise `runs` in the
current folder.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.recording._format import LOG_NAME, RUN_INFO_NAME

LAST = "last"
"""Stands for the newest run."""

_LONGEST_ID = 200
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")


class RunInfo(BaseModel):
    """The contents of `run.json`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    run: str
    scenario: str = ""
    seed: int | None = None
    condition: str | None = None
    clock: str = "real"
    started: datetime
    """When the run was started, by the clock on the wall, whatever clock it runs on."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of SERA, Python and whatever else matters."""
    robots: dict[str, str] | None = None
    """The body of each character that had one; None: not known."""
    training_of: str | None = None
    """The recording that a Wizard was trained with; None: it was no training."""


class RunFolder(NamedTuple):
    """The folder of one run."""

    path: Path

    @property
    def run_id(self) -> str:
        return self.path.name

    @property
    def log_path(self) -> Path:
        """The log, or its compressed form where only that is there."""
        plain = self.path / LOG_NAME
        compressed = self.path / f"{LOG_NAME}.gz"
        return compressed if compressed.exists() and not plain.exists() else plain

    @property
    def participants_path(self) -> Path:
        return self.path / "participants"

    @classmethod
    def create(
        cls,
        run_id: str,
        *,
        scenario: str = "",
        seed: int | None = None,
        condition: str | None = None,
        clock: str = "real",
        versions: dict[str, str] | None = None,
        robots: dict[str, str] | None = None,
        started: datetime | None = None,
        base: Path | str | None = None,
        **more: Any,
    ) -> RunFolder:
        """Make the folder of a new run and describe the run in `run.json`.

        Args:
            run_id: id of the run and name of the folder.
            scenario: name of the scenario.
            seed: seed of the run.
            condition: condition of the study.
            clock: `real`, `virtual` or `scaled`.
            versions: versions of whatever matters.
            robots: the body of each character that has one.
            started: time on the wall; None: now.
            base: where runs are kept; None: SERA_RUNS or `runs`.
            more: anything else worth keeping, as JSON.

        Raises:
            ValueError: the id cannot be the name of a folder.
            FileExistsError: there is such a run already.
        """
        if not is_run_id(run_id):
            raise ValueError(
                f"run id {run_id!r}: use letters, digits, `_`, `-` and `.`, begin with a letter "
                f"or a digit, and do not call it {LAST!r}"
            )
        folder = cls((runs_folder() if base is None else Path(base)) / run_id)
        try:
            folder.participants_path.mkdir(parents=True)
            info = RunInfo(
                run=run_id,
                scenario=scenario,
                seed=seed,
                condition=condition,
                clock=clock,
                started=started or datetime.now(UTC),
                versions=versions or {},
                robots=robots,
                **more,
            )
            with (folder.path / RUN_INFO_NAME).open("x", encoding="utf-8") as file:
                optional = ("robots", "training_of")
                unknown = {name for name in optional if getattr(info, name) is None}
                file.write(info.model_dump_json(indent=2, exclude=unknown) + "\n")
        except FileExistsError:
            raise FileExistsError(
                f"there is a run {run_id} in {folder.path.parent} already: use another run id"
            ) from None
        return folder

    def info(self) -> RunInfo | None:
        """The description of the run; None where it is missing or damaged."""
        try:
            return RunInfo.model_validate_json((self.path / RUN_INFO_NAME).read_bytes())
        except (OSError, ValidationError):
            return None


def is_run_id(name: str) -> bool:
    """Whether a run may be called so."""
    return len(name) <= _LONGEST_ID and bool(_RUN_ID.match(name)) and name != LAST


def runs_folder() -> Path:
    """Where runs are kept: SERA_RUNS, otherwise `runs` in the current folder."""
    return Path(os.environ.get("SERA_RUNS") or "runs")


def list_runs(base: Path | str | None = None) -> list[RunFolder]:
    """All runs, newest first."""
    folder = runs_folder() if base is None else Path(base)
    if not folder.is_dir():
        return []
    runs = [RunFolder(path) for path in folder.iterdir() if (path / RUN_INFO_NAME).is_file()]
    return sorted(runs, key=_started, reverse=True)


def _started(run: RunFolder) -> tuple[float, str]:
    info = run.info()
    if info is not None:
        return info.started.timestamp(), run.run_id
    return (run.path / RUN_INFO_NAME).stat().st_mtime, run.run_id
