"""Freezing: everything that a session is made of, copied beside its recording and hashed.

Design overview
    `<session>/inputs/` is a workspace of its own, with the scenario, its modules and its robots in
    their usual places. The run of the session is started from it, so that a file which somebody
    saves meanwhile waits for the next session. `<session>/inputs.json` has the SHA-256 of every
    file, the versions of all packages, and the seed.

    A file that an earlier session has frozen already is linked and not copied: fifty sessions with
    a video each do not need fifty times its space. Frozen files cannot be written.

Threading
    Calls block for as long as the disk does.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from sera import __version__
from sera.runtime.workspace import MARKER, Workspace
from sera.study.sessions._files import SessionError, read_json, write_json_once
from sera.study.sessions._inputs import Inputs, digest_of, digest_of_sera

FOLDER = "inputs"
FILE = "inputs.json"


@dataclass(frozen=True)
class Frozen:
    """The frozen inputs of a session."""

    folder: Path
    """The frozen workspace."""
    files: Mapping[str, str]
    """SHA-256 by place."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of what lies outside of the workspace and is used where it is."""
    packages: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None

    @property
    def digest(self) -> str:
        """One digest of everything but the seed, which differs from session to session."""
        told = [dict(sorted(one.items())) for one in (self.files, self.elsewhere, self.packages)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def workspace(self, around: Workspace) -> Workspace:
        """The workspace of the session's runs: what is frozen stands before everything else."""
        roots = [self.folder, *around.roots]
        return Workspace(roots, built_in=around.built_in, own=self.folder)

    def damage(self) -> list[str]:
        """Which frozen files are gone, or no longer what they were."""
        return [
            place
            for place, digest in self.files.items()
            if not (self.folder / place).is_file() or digest_of(self.folder / place) != digest
        ]


def freeze(inputs: Inputs, session: Path, *, seed: int, earlier: Path | None = None) -> Frozen:
    """Copy and hash the inputs of a session.

    Args:
        inputs: what to freeze.
        session: folder of the session.
        seed: of its runs.
        earlier: folder of an earlier session whose frozen files may be shared.

    Raises:
        SessionError: an input cannot be read.
        OSError: the copies cannot be written.
    """
    folder = session / FOLDER
    folder.mkdir(parents=True)
    (folder / MARKER).touch()
    known = None if earlier is None else read_frozen(earlier)
    files: dict[str, str] = {}
    for place, path in sorted(inputs.files.items()):
        try:
            digest = digest_of(path)
        except OSError as error:
            raise SessionError(f"{path} cannot be frozen: {error.strerror}") from None
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shared = known is not None and known.files.get(place) == digest
        if not (shared and known is not None and _link(known.folder / place, target, digest)):
            shutil.copyfile(path, target)
            # What was saved between hashing and copying: the copy is what counts.
            digest = digest_of(target)
            target.chmod(0o444)
        files[place] = digest
    frozen = Frozen(
        folder=folder,
        files=files,
        elsewhere={str(path): digest_of(path) for path in sorted(inputs.elsewhere)},
        packages=installed_packages(),
        seed=seed,
    )
    told = {
        "digest": frozen.digest,
        "seed": seed,
        "files": dict(frozen.files),
        "elsewhere": dict(frozen.elsewhere),
        "packages": dict(frozen.packages),
    }
    write_json_once(session / FILE, told)
    return frozen


def read_frozen(session: Path) -> Frozen | None:
    """What a session has frozen; None where that is not known."""
    told = read_json(session / FILE)
    if told is None:
        return None
    seed = told.get("seed")
    return Frozen(
        folder=session / FOLDER,
        files=_texts(told.get("files")),
        elsewhere=_texts(told.get("elsewhere")),
        packages=_texts(told.get("packages")),
        seed=seed if isinstance(seed, int) else None,
    )


def differences(first: Frozen, other: Frozen) -> list[str]:
    """What is not the same in two sessions, one name each."""
    named = [
        *_differing(first.files, other.files),
        *_differing(first.elsewhere, other.elsewhere),
    ]
    for name in sorted(first.packages.keys() | other.packages.keys()):
        was, became = first.packages.get(name, "not there"), other.packages.get(name, "not there")
        if was != became:
            named.append(f"package {name} ({was} → {became})")
    return named


def installed_packages() -> dict[str, str]:
    """Versions of all installed packages, of Python and of SERA, with a digest of its code."""
    found = {
        one.metadata["Name"].lower(): one.version
        for one in metadata.distributions()
        if one.metadata["Name"]
    }
    found["python"] = platform.python_version()
    found["sera"] = f"{__version__}+{digest_of_sera()}"
    return dict(sorted(found.items()))


def _link(frozen: Path, target: Path, digest: str) -> bool:
    """Share a frozen file, where it is still what it was and the disk can do that."""
    with contextlib.suppress(OSError):
        if digest_of(frozen) == digest:
            os.link(frozen, target)
            return True
    return False


def _differing(first: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    named = []
    for place in sorted(first.keys() | other.keys()):
        if place not in other:
            named.append(f"{place} (gone)")
        elif place not in first:
            named.append(f"{place} (new)")
        elif first[place] != other[place]:
            named.append(place)
    return named


def _texts(value: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}
