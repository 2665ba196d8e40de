"""`sera study paper` as people call it."""

from __future__ import annotations

from typing import Any

from pypdf import PdfReader

from tests.study.small_plan import WITH_FORM


def test_paper_is_written_once_in_the_language_and_order_that_was_asked_for(place: Any) -> None:
    asked = ("study", "paper", "rosas", "--language", "pt", "--points", "5", "--participant", "p07")
    told = place.sera(*asked)
    assert told.returncode == 0, told.stderr
    assert "rosas_pt_p07.pdf: 1 page, pt, wording as used in" in told.stdout
    text = PdfReader(place.folder / "rosas_pt_p07.pdf").pages[0].extract_text()
    assert "5 = Tudo a ver" in text
    again = place.sera(*asked)
    assert again.returncode == 2
    assert "exists already and is not overwritten" in again.stderr


def test_a_scenarios_study_says_how_a_form_is_used(place: Any) -> None:
    place.write("lab/scenario.toml", '[scenario]\ntitle = "Play"\n')
    place.write("lab/study.toml", WITH_FORM)
    told = place.sera("study", "paper", "rosas", "--scenario", "lab", "--out", "lab/out.pdf")
    assert told.returncode == 0, told.stderr
    text = PdfReader(place.folder / "lab" / "out.pdf").pages[0].extract_text()
    assert "7 = Definitely associated" in text
    assert "Capable" in text
    assert "Happy" not in text


def test_what_cannot_be_printed_is_said_in_a_sentence(place: Any) -> None:
    for arguments, sentence in (
        (("rosa",), "did you mean 'rosas'?"),
        (("../rosas",), "there is no questionnaire '../rosas'"),
        (("rosas", "--language", "de"), "has no wording in 'de' (there are en, pt)"),
        (("nasa_tlx", "--points", "5"), "has no items with points"),
        (("rosas", "--participant", "../../me"), "is no pseudonym"),
        (("rosas", "--out", "form.txt"), "paper ends in .pdf"),
        (("rosas", "--out", "nowhere/form.pdf"), "cannot be written"),
        (("rosas", "--scenario", "nowhere"), "nowhere"),
    ):
        told = place.sera("study", "paper", *arguments)
        assert told.returncode == 2, (arguments, told.stderr)
        assert sentence in " ".join(told.stderr.split())
        assert "Traceback" not in told.stderr
    assert list(place.folder.glob("*.pdf")) == []
