"""What the recogniser is to expect: from the settings, or from the state of a dialogue sheet."""

from __future__ import annotations

from pathlib import Path

from sera.behaviour.dialogue import Script, state_key
from sera.behaviour.library import read_libraries
from sera.hearing.phrases import Awaited, awaited_by_state
from sera.hearing.recogniser import Expectation, Mode


class Expectations:
    """What may be said, by state.

    Args:
        mode: how phrases are recognised.
        phrases: that matter in every state.
        sheet: of the dialogue; None without one.
    """

    def __init__(self, mode: Mode, phrases: tuple[str, ...], sheet: Path | None) -> None:
        self._mode: Mode = mode
        self._phrases = phrases
        self._states: dict[str, Awaited] = {}
        self._start = ""
        self.problem: str | None = None
        """What is wrong with the sheet, in a sentence."""
        if sheet is not None:
            reading = read_libraries([sheet])
            script = Script(reading.library.dialogue)
            if not script.rows:
                found = "; ".join(map(str, reading.findings[:3])) or "it has no dialogue rows"
                self.problem = (
                    f"no phrases can be taken from the sheet {sheet.name} ({found}): only "
                    "`phrases` of the settings, or the open vocabulary, are listened for"
                )
            self._states = awaited_by_state(script)
            self._start = script.start

    def in_state(self, state: str | None) -> Expectation:
        """What may be said in a state by its name; None: where the dialogue starts."""
        key = self._start if state is None else state_key(state)
        awaited = self._states.get(key) or self._states.get("*") or Awaited()
        own = tuple(phrase.written for phrase in awaited.grammar.phrases)
        phrases = tuple(dict.fromkeys((*own, *self._phrases)))
        if self._mode == "open" or not phrases:
            return Expectation("open")
        return Expectation(self._mode, phrases, fall_back=awaited.anything)


__all__ = ["Expectations"]
