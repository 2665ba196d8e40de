"""The dialogue as a graph: states, and the ways between them with their When and first words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sera.behaviour.dialogue.script import ANY_STATE, END, Script, state_key
from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._spoken import spoken

LONGEST_WHEN = 46
LONGEST_SAID = 34
MOST_LABELS = 4
ENDINGS = (".svg", ".png", ".dot")


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A state."""

    key: str
    name: str
    is_start: bool = False
    is_end: bool = False
    worst: Severity | None = None
    """The worst finding in its rows."""


@dataclass(slots=True)
class GraphEdge:
    """All rows that lead from one state to another."""

    source: str
    target: str
    labels: list[tuple[str, str]] = field(default_factory=list)
    """What must happen, and the beginning of what is said."""


class DialogueGraph:
    """The graph of a script.

    Args:
        script: the rows.
        language: of the words shown; None: the first that a row has.
        findings: states whose rows have any are coloured.
    """

    def __init__(
        self, script: Script, *, language: str | None = None, findings: Iterable[Finding] = ()
    ) -> None:
        worst = _worst(script, findings)
        self.nodes: dict[str, GraphNode] = {}
        self.edges: list[GraphEdge] = []
        edges: dict[tuple[str, str], dict[str, list[str]]] = {}
        for row in script.all_rows:
            source = state_key(row.current_state)
            if not source:
                continue
            target = state_key(row.next_state) or END
            target = source if target == ANY_STATE else target
            if script.is_named_end(target):
                target = END
            for key in (source, target):
                self.nodes.setdefault(
                    key,
                    GraphNode(
                        key,
                        "any state"
                        if key == ANY_STATE
                        else shortened(script.name(key), LONGEST_SAID),
                        is_start=key == script.start,
                        is_end=script.is_end(key),
                        worst=worst.get(key),
                    ),
                )
            when = " ".join(row.when.split()) or "at once"
            said = spoken(row.text_in(language) or row.text_in() or "")
            edges.setdefault((source, target), {}).setdefault(when, []).append(said)
        for (source, target), by_when in edges.items():
            labels = [
                (shortened(when, LONGEST_WHEN), _words(said)) for when, said in by_when.items()
            ]
            if len(labels) > MOST_LABELS:
                more = len(labels) - MOST_LABELS + 1
                labels = [*labels[: MOST_LABELS - 1], (f"and {more} more", "")]
            self.edges.append(GraphEdge(source, target, labels))

    def as_dot(self) -> str:
        """The graph for Graphviz and its like."""
        lines = ["digraph dialogue {", "  node [shape=box, style=rounded];"]
        names = {key: f"s{number}" for number, key in enumerate(self.nodes)}
        for node in self.nodes.values():
            options = [f"label={_quoted(node.name)}"]
            if node.is_start:
                options.append("penwidth=2")
            if node.is_end:
                options.append("shape=ellipse")
            if node.worst is not None:
                options.append(f"color={'red' if node.worst is Severity.ERROR else 'orange'}")
            lines.append(f"  {names[node.key]} [{', '.join(options)}];")
        for edge in self.edges:
            parts = [" ".join(filter(None, label)) for label in edge.labels]
            label = _quoted("\n".join(parts))
            lines.append(f"  {names[edge.source]} -> {names[edge.target]} [label={label}];")
        return "\n".join([*lines, "}", ""])


def write_graph(graph: DialogueGraph, out: Path) -> None:
    """Draw the graph; the ending of the file decides how.

    Raises:
        ValueError: the ending is none of .svg, .png and .dot.
        ImportError: a .png needs matplotlib, which is not installed.
        OSError: the file cannot be written.
    """
    ending = out.suffix.lower()
    if ending == ".dot":
        out.write_text(graph.as_dot(), encoding="utf-8")
        return
    if ending not in ENDINGS:
        raise ValueError(f"{out}: a picture ends in {', '.join(ENDINGS)}")
    from sera.behaviour.dialogue._layout import laid_out

    drawing = laid_out(graph)
    if ending == ".svg":
        from sera.behaviour.dialogue._svg import as_svg

        out.write_text(as_svg(drawing), encoding="utf-8")
        return
    from sera.behaviour.dialogue._png import write_png

    write_png(drawing, out)


def shortened(text: str, longest: int) -> str:
    """The beginning of a text, with an ellipsis where there is more."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "\u2026"


def _words(said: list[str]) -> str:
    first = next(filter(None, said), "")
    if not first:
        return ""
    more = f" (+{len(said) - 1})" if len(said) > 1 else ""
    return f"\u201c{shortened(first, LONGEST_SAID)}\u201d{more}"


def _worst(script: Script, findings: Iterable[Finding]) -> dict[str, Severity]:
    state_at = {
        (row.origin.sheet, row.origin.row): state_key(row.current_state) for row in script.all_rows
    }
    worst: dict[str, Severity] = {}
    for finding in findings:
        state = state_at.get((finding.sheet, finding.row))
        if state is not None and worst.get(state) is not Severity.ERROR:
            worst[state] = finding.severity
    return worst


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
