"""Finds what is wrong in a dialogue: dead ends, states out of reach, rows that never apply."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sera.behaviour.dialogue._fields import field_paths
from sera.behaviour.dialogue.conditions import FieldTest, Heard, When
from sera.behaviour.dialogue.script import ANY_STATE, Script, ScriptRow, at_row, state_key
from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library import DialogueRow
from sera.behaviour.markup import DEFAULT_SYNTAX, MarkupSyntax, Vocabulary, lint_text, parse
from sera.runtime.located import nearest_name

_MOST_TESTS = 8


def lint_dialogue(
    script: Script,
    vocabulary: Vocabulary | None = None,
    syntax: MarkupSyntax = DEFAULT_SYNTAX,
) -> list[Finding]:
    """Everything that is wrong or doubtful, in the order of the sheet.

    Args:
        script: the rows, with what is wrong in their When cells.
        vocabulary: names that texts may use; None: only verbs and tags are checked.
        syntax: how texts are written.
    """
    found = [
        *script.findings,
        *_states(script),
        *_reach(script),
        *_circles(script),
        *_never_true(script),
        *_texts(script, vocabulary or Vocabulary(), syntax),
    ]
    places = {row.origin: number for number, row in enumerate(script.all_rows)}
    order = {(o.sheet, o.row): number for o, number in places.items()}
    return sorted(found, key=lambda each: order.get((each.sheet, each.row), -1))


def _states(script: Script) -> Iterator[Finding]:
    written = {state_key(row.current_state) for row in script.all_rows} - {ANY_STATE}
    names = [script.name(state) for state in written if state]
    for row in script.all_rows:
        following = state_key(row.next_state)
        if not state_key(row.current_state):
            yield _at(
                row,
                "current_state",
                "no-state",
                "the row has no Current State and is left out",
                "write the state it belongs to",
            )
        if not following:
            yield _at(
                row,
                "next_state",
                "no-next-state",
                "Next State is empty, so the dialogue ends here",
                "write end if that is meant",
                warning=True,
            )
        elif following not in written and not (
            following == ANY_STATE or script.is_named_end(following)
        ):
            near = nearest_name(row.next_state[:60], names)
            yield _at(
                row,
                "next_state",
                "dead-end",
                f"no row leads on from '{row.next_state}', so the dialogue ends there"
                + (f"; did you mean {near}?" if near else ""),
                f"write {near}" if near else "add a row with this Current State, or write end",
                text=row.next_state,
            )
    for state in sorted(written):
        if state and script.is_end(state):
            row = next(row for row in script.all_rows if state_key(row.current_state) == state)
            yield _at(
                row,
                "when",
                "dead-end",
                f"no row of '{script.name(state)}' can be used, so the dialogue ends there",
                "mend what is wrong under When",
            )


def _reach(script: Script) -> Iterator[Finding]:
    # Rows whose When is wrong count too: one mistake makes one finding.
    onward: dict[str, set[str]] = {}
    for row in script.all_rows:
        onward.setdefault(state_key(row.current_state), set()).add(state_key(row.next_state))
    from_anywhere = onward.pop(ANY_STATE, set())
    reached = _beyond(onward, script.start) | {script.start} | from_anywhere
    reached |= {beyond for state in from_anywhere for beyond in _beyond(onward, state)}
    told: set[str] = set()
    for script_row in script.rows:
        state = script_row.state
        if state in reached or state in told or state == ANY_STATE:
            continue
        told.add(state)
        name = script.name(state)
        yield _at(
            script_row.row,
            "current_state",
            "unreachable-state",
            f"nothing leads from '{script.name(script.start)}' to '{name}'",
            "write it as the Next State of another row, or delete its rows",
            text=name,
            warning=True,
        )


def _circles(script: Script) -> Iterator[Finding]:
    """States from which rows without When lead back: the dialogue would go round for ever."""
    onward: dict[str, set[str]] = {}
    for row in script.rows:
        if row.when.at_once:
            onward.setdefault(row.state, set()).add(row.next_state)
    told: set[str] = set()
    straight: set[str] = set()
    for row in script.rows:
        if not row.when.at_once or row.state in told or row.state in straight:
            continue
        beyond = _beyond(onward, row.state)
        if row.state not in beyond:
            straight.add(row.state)
            continue
        circle = {state for state in beyond if row.state in _beyond(onward, state)}
        told |= circle
        # With a row that leaves the circle by chance it ends some time.
        leaves = any(target not in circle for state in circle for target in onward[state])
        yield _at(
            row.row,
            "when",
            "endless-loop",
            f"rows without When lead from '{script.name(row.state)}' back to it",
            "write under When of one of them what the dialogue waits for, such as after 5 s",
            warning=leaves,
        )


def _beyond(onward: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(onward.get(start, ()))
    while waiting:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting += onward.get(state, ())
    return seen


def _never_true(script: Script) -> Iterator[Finding]:
    for state in dict.fromkeys(row.state for row in script.rows):
        rows = script.own_rows(state)
        at_once = next((row for row in rows if row.when.at_once), None)
        hears = any(row.when.messages for row in rows)
        taken: _Taken = {}
        first_with: dict[When, ScriptRow] = {}
        by_chance: set[When] = set()
        for row in rows:
            first = first_with.setdefault(row.when, row)
            if at_once is not None and not row.when.at_once:
                yield _at(
                    row.row,
                    "when",
                    "never-waits",
                    f"{_place(at_once)} has no When and is taken at once, so this row never is",
                    "write a When there too",
                    text=row.row.when,
                )
                continue
            cover = _cover(row, taken) if first is row else None
            if cover is not None:
                yield _at(
                    row.row,
                    "when",
                    "never-true",
                    f"{_place(cover)} is taken for every such message, so this row never is",
                    "move this row above that one, or make that one's When narrower",
                    text=row.row.when,
                )
            if row.when.is_otherwise and not hears:
                yield _at(
                    row.row,
                    "when",
                    "otherwise-alone",
                    "otherwise needs another row of the state that waits for a message",
                    "write the message itself, such as SpeechHeard, or after 5 s",
                    text=row.row.when,
                )
            if first.next_state != row.next_state and row.when not in by_chance:
                by_chance.add(row.when)
                yield _at(
                    row.row,
                    "next_state",
                    "chance",
                    f"{_place(first)} has the same When and another Next State: chance decides",
                    "if that is not meant, give one of them another When",
                    warning=True,
                )
            for each in row.when.alternatives:
                if isinstance(each, Heard):
                    taken.setdefault((each.message, frozenset(each.tests)), row)


_Taken = dict[tuple[str, frozenset[FieldTest]], ScriptRow]
"""The first row for a message with these tests."""


def _cover(row: ScriptRow, taken: _Taken) -> ScriptRow | None:
    """The row above that is taken for whatever would fire this one; None where there is none."""
    found: ScriptRow | None = None
    for each in row.when.alternatives:
        if not isinstance(each, Heard) or len(each.tests) > _MOST_TESTS:
            return None
        # A row above with fewer of the same tests is wider.
        subsets = (
            taken.get((each.message, frozenset(some)))
            for count in range(len(each.tests) + 1)
            for some in combinations(each.tests, count)
        )
        found = next((other for other in subsets if other is not None), None)
        if found is None:
            return None
    return found


def _texts(script: Script, vocabulary: Vocabulary, syntax: MarkupSyntax) -> Iterator[Finding]:
    tags = _tags(script, syntax) | set(vocabulary.tags or ())
    names = Vocabulary(
        targets=vocabulary.targets,
        animations=vocabulary.animations,
        faces=vocabulary.faces,
        sounds=vocabulary.sounds,
        actions=vocabulary.actions,
        tags=tags,
    )
    for row in script.all_rows:
        if row.texts and "" not in row.texts:
            for language in script.languages:
                if row.text_in(language) is None:
                    yield _at(
                        row,
                        f"text:{language}",
                        "missing-language",
                        f"the line has no text in '{language}'",
                        "translate it, or another wording or language is taken",
                        warning=True,
                    )
        for language, text in row.texts.items():
            for finding in lint_text(text, names, syntax):
                yield at_row(finding, row, f"text:{language}")


def _tags(script: Script, syntax: MarkupSyntax) -> set[str]:
    """The tags that messages of the sheet can fill in."""
    known = {path for kind in script.hears for path in field_paths(kind)}
    open_to = tuple(f"{path}." for path in known)
    texts = (text for row in script.all_rows for text in row.texts.values())
    used = {use.name for text in texts for use in parse(text, syntax).tag_uses}
    return known | {name for name in used if name.startswith(open_to)}


def _place(row: ScriptRow) -> str:
    number = row.row.origin.row
    return "another row" if number is None else f"row {number}"


def _at(
    row: DialogueRow,
    meaning: str,
    code: str,
    message: str,
    fix: str,
    *,
    text: str = "",
    warning: bool = False,
) -> Finding:
    severity = Severity.WARNING if warning else Severity.ERROR
    finding = Finding(code=code, message=message, fix=fix, severity=severity, text=text)
    return at_row(finding, row, meaning)
