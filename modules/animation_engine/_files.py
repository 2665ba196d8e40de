"""The files that the program is made from, looked at again and again while it runs.

What was read once serves all engines of a process while the files are the same: a simulated study
begins some dozens of times.

Threading: `program` and `changed` read and compile, and may be called in a thread; `take_over`
belongs between two frames.
Safety: files with a problem change nothing; the program before goes on, and `problem` says why.
"""

from __future__ import annotations

from pathlib import Path

from sera.animation.animator import Animator
from sera.animation.assets.repertoire import Repertoire
from sera.animation.engine import Engine
from sera.animation.program import Program
from sera.animation.stage_set import Fingerprint, StageSet
from sera.runtime.located import FileProblem, FileProblems
from sera.runtime.workspace import Workspace

from ._places import learn_messages

Made = tuple[Program, Engine]

_KEPT = 8
_read: dict[tuple[object, ...], Repertoire] = {}
"""Repertoires, which nobody changes, by the state of the files that they were read from."""


class ProgramFiles:
    """What one body's program is made from."""

    def __init__(self, stage_set: StageSet, workspace: Workspace, scenario: Path | None) -> None:
        self.problem: str | None = None
        """Why what stands in the files now is not in use."""
        self._set, self._workspace, self._scenario = stage_set, workspace, scenario
        self._marks: Fingerprint = ()
        self._found: Fingerprint = ()
        """What the last look found: files are read once two looks have found the same."""
        self._repertoire: Repertoire | None = None
        self.is_first = True
        """Whether this process has read these files for the first time."""

    def program(self) -> Program:
        """Read everything.

        Raises:
            FileProblems: with every problem, by file and line.
        """
        # Before reading: what changes meanwhile is a change.
        self._marks = self._set.fingerprint()
        learn_messages(self._set.program_file(), self._workspace, self._scenario)
        which = self._set
        channels = tuple(which.body.channels.values())
        key = (which.folders, which.second_stage, channels, self._marks)
        self.is_first = key not in _read
        if self.is_first:
            while len(_read) >= _KEPT:
                del _read[next(iter(_read))]
            _read[key] = which.repertoire()
        self._repertoire = _read[key]
        return which.program(self._repertoire)

    def rehearsal(self) -> Program:
        """The program that was read last once more, to be tried out unseen."""
        return self._set.program(self._repertoire)

    def changed(self, animator: Animator) -> Made | None:
        """What has become of files that have changed; None: nothing that can be used."""
        found = self._set.fingerprint()
        if found == self._marks:
            return None
        if found != self._found:  # somebody may be writing: an empty file is a program, too
            self._found = found
            return None
        try:
            program = self.program()
            return program, animator.compiled(program)
        except Exception as error:  # a plug-in may raise anything
            self.problem = _because(error)
            # A file that came while the others were read may go again before the next look.
            if self._set.fingerprint() != self._marks:
                self._marks = ()
            return None

    def take_over(self, made: Made, animator: Animator) -> bool:
        """Let an animator go on with what was made from changed files; False: it cannot."""
        try:
            animator.exchange(*made)
        except (ValueError, LookupError) as error:
            self.problem = _because(error)
            return False
        self.problem = None
        return True


def _because(error: Exception) -> str:
    if isinstance(error, FileProblems):
        listed = [" ".join(str(problem).split()) for problem in error.problems]
        why = "; ".join(listed[:3]) + (f"; and {len(listed) - 3} more" if listed[3:] else "")
    elif isinstance(error, FileProblem | ValueError | LookupError) and error.args:
        why = str(error.args[0])
    else:
        why = f"{type(error).__name__}: {error}"
    return f"a changed file is not in use, what was before goes on: {why}"
