"""The drawn dialogue: everything is in it, nothing overlaps, hostile names do no harm."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.dialogue import DialogueGraph, Script, lint_dialogue, write_graph
from sera.behaviour.dialogue._layout import Drawing, laid_out
from sera.behaviour.dialogue._svg import as_svg
from sera.behaviour.library import DialogueRow, Origin


def graph(*rows: tuple[str, str, str, str]) -> DialogueGraph:
    script = Script(
        DialogueRow(
            current_state=state,
            next_state=following,
            when=when,
            texts={"en": text} if text else {},
            origin=Origin("play.csv", "play", number),
        )
        for number, (state, following, when, text) in enumerate(rows, start=2)
    )
    return DialogueGraph(script, findings=lint_dialogue(script))


def wild(seed: int, count: int) -> DialogueGraph:
    chance = Random(seed)
    states = [f"State {number}" for number in range(count)]
    rows = []
    for number, state in enumerate(states):
        for _ in range(chance.choice((1, 2, 3))):
            following = chance.choice([*states, "end", states[min(number + 1, count - 1)]])
            when = chance.choice(["after 5 s", "PersonLost", "SpeechHeard text contains yes", ""])
            rows.append((state, following, when, chance.choice(["Hello, and welcome!", ""])))
    return graph(*rows)


def rectangles(drawing: Drawing) -> list[tuple[float, float, float, float]]:
    return [
        (
            part.x - part.width / 2,
            part.y - part.height / 2,
            part.x + part.width / 2,
            part.y + part.height / 2,
        )
        for part in [*drawing.boxes, *drawing.labels]
    ]


@pytest.mark.parametrize("seed", range(6))
def test_no_two_states_or_labels_overlap_and_all_are_on_the_paper(seed: int) -> None:
    drawing = laid_out(wild(seed, 3 + 4 * seed))
    placed = rectangles(drawing)
    for number, (left, top, right, bottom) in enumerate(placed):
        assert left >= 0
        assert top >= 0
        assert right <= drawing.width
        assert bottom <= drawing.height
        for other in placed[number + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart
    for curve in drawing.curves:
        assert len(curve.points) % 3 == 1
        assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in curve.points)


def test_every_state_when_and_first_words_stand_in_the_picture() -> None:
    drawn = graph(
        ("Start", "Talk", "PersonDetected", "<GAZE(person)> Hello & <HEADNOD(1)> welcome!"),
        ("Talk", "Talk", "after 7 s", "Still there?"),
        ("Talk", "Start", "PersonLost", "Bye."),
        ("*", "end", "key q", ""),
    )
    svg = as_svg(laid_out(drawn))
    texts = [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]
    for wanted in ("Start", "Talk", "end", "any state", "PersonDetected", "after 7 s", "key q"):
        assert wanted in texts
    assert "\u201cHello & welcome!\u201d" in texts
    assert svg.count("<path d=") == 2 + 4
    assert svg.count("stroke-dasharray") == 1


def test_a_way_back_ends_at_the_state_it_leads_to_and_a_way_on_too() -> None:
    drawing = laid_out(graph(("A", "B", "key k", ""), ("B", "A", "key j", "")))
    box = {part.node.name: part for part in drawing.boxes}
    on, back = sorted(drawing.curves, key=lambda curve: curve.back)
    assert on.points[0][1] == pytest.approx(box["A"].y + box["A"].height / 2)
    assert on.points[-1][1] == pytest.approx(box["B"].y - box["B"].height / 2)
    assert back.points[0][1] == pytest.approx(box["B"].y - box["B"].height / 2)
    assert back.points[-1][1] == pytest.approx(box["A"].y + box["A"].height / 2)
    assert on.points[0] != back.points[-1]


def test_states_with_errors_are_red_in_every_format() -> None:
    drawn = graph(
        ("A", "B", "PersonDetcted", ""), ("A", "B", "key k", ""), ("B", "end", "key k", "")
    )
    assert "#b8332a" in as_svg(laid_out(drawn))
    assert "color=red" in drawn.as_dot()


def test_long_texts_are_cut_and_many_ways_are_counted() -> None:
    rows = [("A", "B", f"key {letter}", "x" * 90) for letter in "abcdefgh"]
    (edge,) = graph(*rows, ("B", "B", "key k", "")).edges[:1]
    assert edge.labels[-1] == ("and 5 more", "")
    assert len(edge.labels) == 4
    assert all(len(said) < 45 for _, said in edge.labels)


def test_dot_text_is_quoted() -> None:
    dot = graph(('Say "hi" \\', "end", "key k", "")).as_dot()
    assert 'label="Say \\"hi\\" \\\\"' in dot
    assert re.search(r"s0 -> s1 \[label=", dot)


def test_pictures_are_written_by_their_ending(tmp_path: Path) -> None:
    drawn = graph(("A", "end", "key k", "costs $5 and $6"))
    for ending, first in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".dot", b"digraph")):
        out = tmp_path / f"graph{ending}"
        write_graph(drawn, out)
        assert out.read_bytes().startswith(first)
    with pytest.raises(ValueError, match=r"ends in \.svg, \.png, \.dot"):
        write_graph(drawn, tmp_path / "graph.jpeg")


def test_a_png_without_matplotlib_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"sera-hri\[figures\].*\.svg"):
        write_graph(graph(("A", "end", "key k", "")), tmp_path / "graph.png")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=6), st.text(max_size=6), st.text(max_size=9), st.text(max_size=9)
        ),
        max_size=6,
    )
)
def test_any_names_give_a_picture_that_can_be_read(rows: list[tuple[str, str, str, str]]) -> None:
    drawn = graph(*rows)
    ET.fromstring(as_svg(laid_out(drawn)).encode())
    drawn.as_dot()
