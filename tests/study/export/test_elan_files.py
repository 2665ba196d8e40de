"""Tiers for ELAN: written, opened again, and the same to the millisecond."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.study.export import (
    Annotation,
    EafDocument,
    ExportWish,
    LinkedMedia,
    Tier,
    eaf_text,
    export,
    tiers_of,
)
from sera.study.export.eaf import clean, without_overlaps
from sera.study.media import Sidecar

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORDER = ("HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "CONSTRAINT")


def opened(text):
    """Tiers of a file, as ELAN reads it; whatever it would refuse fails here."""
    root = ET.fromstring(text.encode())
    assert root.tag == "ANNOTATION_DOCUMENT"
    assert {"AUTHOR", "DATE", "VERSION", "FORMAT"} <= set(root.attrib)
    assert root.attrib["FORMAT"] == "3.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", root.attrib["DATE"])
    places = [ORDER.index(child.tag) for child in root]
    assert places == sorted(places)
    header = root.find("HEADER")
    assert header.attrib["TIME_UNITS"] == "milliseconds"
    for media in header.findall("MEDIA_DESCRIPTOR"):
        assert {"MEDIA_URL", "MIME_TYPE"} <= set(media.attrib)
        assert int(media.attrib.get("TIME_ORIGIN", 0)) >= 0
    slots = {}
    for slot in root.find("TIME_ORDER"):
        assert slot.attrib["TIME_SLOT_ID"] not in slots
        slots[slot.attrib["TIME_SLOT_ID"]] = int(slot.attrib["TIME_VALUE"])
    assert list(slots.values()) == sorted(slots.values())
    types = {each.attrib["LINGUISTIC_TYPE_ID"] for each in root.findall("LINGUISTIC_TYPE")}
    tiers, ids = {}, set()
    for tier in root.findall("TIER"):
        assert tier.attrib["LINGUISTIC_TYPE_REF"] in types
        assert tier.attrib["TIER_ID"] not in tiers
        found = []
        for one in tier.findall("ANNOTATION/ALIGNABLE_ANNOTATION"):
            assert one.attrib["ANNOTATION_ID"] not in ids
            ids.add(one.attrib["ANNOTATION_ID"])
            start, stop = (slots[one.attrib[f"TIME_SLOT_REF{end}"]] for end in (1, 2))
            assert 0 <= start < stop
            assert not found or found[-1][1] <= start
            found.append((start, stop, one.find("ANNOTATION_VALUE").text or ""))
        tiers[tier.attrib["TIER_ID"]] = found
    return tiers, header


def test_a_session_becomes_tiers_with_its_times(plan, recorded):
    tiers, _ = opened(eaf_text(EafDocument(tiers_of(plan, recorded.log()))))
    assert tiers["phases"] == [(0, 10_000, "before"), (10_000, 60_000, "game")]
    assert tiers["steps"] == [(0, 10_000, "consent"), (10_000, 60_000, "play")]
    assert tiers["ada speech"] == [(13_000, 14_500, 'Olá <amigo> & "você"')]
    assert tiers["ada gaze"] == [(12_000, 15_250, "player"), (15_250, 60_000, "d4")]
    assert tiers["ada posture"] == [(16_000, 18_000, "hot"), (18_000, 60_000, "cold")]
    assert tiers["ada animation"] == [(20_000, 21_004, "nod")]
    assert tiers["player speaks"] == [(22_000, 23_500, "player")]
    assert tiers["marks"] == [(25_000, 25_200, "problem (wizard)")]


def test_events_of_the_scenario_have_tiers_of_their_own(plan, tmp_path):
    from sera.study.measures import SessionLog

    path = tmp_path / "log.jsonl"
    head = '{"sera_log":1,"run":"r","started":0.0}\n'
    line = (
        '{"received":%s,"topic":"t","type":"GuessWeighed","id":"i%s","time":%s,"source":"world.g",'
        '"character":"world","cause":null,"protocol":1,"data":{"key":"d4","result":"cold"}}\n'
    )
    path.write_text(head + "".join(line % (n, n, n) for n in (1.5, 1.55, 4.0)))
    tiers, _ = opened(eaf_text(EafDocument(tiers_of(plan, SessionLog.from_file(path)))))
    text = "key=d4, result=cold"
    assert tiers["GuessWeighed"] == [
        (1500, 1550, text),
        (1550, 1750, text),
        (4000, 4200, text),
    ]


@given(
    st.lists(
        st.tuples(st.integers(0, 10**7), st.integers(1, 10**6), st.text(min_size=1, max_size=20)),
        max_size=30,
        unique_by=lambda one: one[0],
    ),
    st.text(min_size=1, max_size=10),
)
def test_tiers_come_back_as_they_went(spans, name):
    annotations = [Annotation(start, start + length, text) for start, length, text in spans]
    wanted = without_overlaps(annotations)
    tiers, _ = opened(eaf_text(EafDocument([Tier(name, annotations), Tier(name, annotations)])))
    assert len(tiers) == 2
    for found in tiers.values():
        assert [(a, b) for a, b, _ in found] == [(one.start_ms, one.stop_ms) for one in wanted]
        for (_, _, text), one in zip(found, wanted, strict=True):
            # XML itself turns a carriage return into a line break.
            assert text.split() == clean(one.text).replace("\r", "\n").split()
    assert {one.start_ms for one in wanted} == {start for start, _, _ in spans}


def test_what_begins_in_the_same_millisecond_becomes_one():
    found = without_overlaps([Annotation(5, 9, "a"), Annotation(5, 7, "b"), Annotation(6, 6, "c")])
    assert found == [Annotation(5, 6, "a | b"), Annotation(6, 7, "c")]


@pytest.fixture
def filmed(recorded):
    """The session with a film that begins 10.2 s into the log, and a sound 0.3 s before it."""
    recorded.media.mkdir(parents=True)
    for name, kind, started_s in (
        ("eyes olá.mkv", "picture", 1010.2),
        ("ears.wav", "sound", 1009.9),
        ("of another run.wav", "sound", 1010.0),
    ):
        (recorded.media / name).write_bytes(b"x")
        run = "another" if "another" in name else f"{recorded.session}_1"
        Sidecar(name, kind, "world.x", "x", run, recorded.session, started_s).write(recorded.media)
    return recorded


def test_media_are_linked_with_the_zero_where_the_last_of_them_begins(
    plan, forms, filmed, row, tmp_path
):
    out = tmp_path / "out"
    export(plan, [row()], forms, [filmed], out, wish=ExportWish(), now=NOON)
    names = sorted(path.name for path in (out / "elan").glob("*.eaf"))
    assert names == [f"{filmed.session}_1.eaf", f"{filmed.session}_1_media1.eaf"]
    whole, header = opened((out / "elan" / names[0]).read_text(encoding="utf-8"))
    assert header.findall("MEDIA_DESCRIPTOR") == []
    path = out / "elan" / names[1]
    tiers, header = opened(path.read_text(encoding="utf-8"))
    sound, film = header.findall("MEDIA_DESCRIPTOR")
    assert film.attrib["MIME_TYPE"] == "video/*"
    assert film.attrib.get("TIME_ORIGIN") is None
    assert (sound.attrib["MIME_TYPE"], sound.attrib["TIME_ORIGIN"]) == ("audio/x-wav", "300")
    for media, name in ((film, "eyes olá.mkv"), (sound, "ears.wav")):
        linked = unquote(media.attrib["RELATIVE_MEDIA_URL"])
        assert (path.parent / linked).samefile(filmed.media / name)
        assert str(tmp_path) not in linked
    # The same events, 10.2 s earlier; what was over before the film began is left out.
    assert whole["marks"][0][0] - tiers["marks"][0][0] == 10_200
    assert tiers["phases"] == [(0, 49_800, "game")]
    zero = next(p.text for p in header.findall("PROPERTY") if p.attrib["NAME"] == "sera_zero_s")
    assert zero == "10.200"


def test_names_cannot_break_the_file():
    media = LinkedMedia('./"<a>&.wav', "audio/x-wav", 0)
    tier = Tier('<"&>\x00', [Annotation(0, 5, "\x07]]>&lt;")], 'a"b')
    tiers, header = opened(eaf_text(EafDocument([tier], [media])))
    assert tiers == {'<"&>\ufffd': [(0, 5, "\ufffd]]>&lt;")]}
    assert header.find("MEDIA_DESCRIPTOR").attrib["MEDIA_URL"] == './"<a>&.wav'


def test_what_people_annotated_is_never_overwritten(plan, forms, filmed, row, tmp_path):
    out = tmp_path / "out"

    def again(rows):
        return export(plan, rows, forms, [filmed], out, wish=ExportWish(), now=NOON)

    again([row()])
    worked_on = out / "elan" / f"{filmed.session}_1.eaf"
    worked_on.write_text(worked_on.read_text() + "<!-- by hand -->", encoding="utf-8")
    told = again([row()])
    assert worked_on.read_text().endswith("<!-- by hand -->")
    assert (out / "elan" / f"{filmed.session}_1_new2.eaf").exists()
    assert any("was changed since it was exported" in note for note in told.notes)
    # Of a session that is no longer exported only what people made stays.
    again([])
    left = [path.name for path in (out / "elan").glob("*.eaf")]
    assert left == [worked_on.name]
    worked_on.write_text("mine", encoding="utf-8")
    again([row()])
    assert worked_on.read_text() == "mine"
