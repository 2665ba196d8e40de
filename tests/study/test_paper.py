"""Questionnaires on paper: every word is there, and the same order as on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from sera.study import Questionnaire, load_questionnaire
from sera.study.paper import PaperError, write_paper
from sera.study.questionnaire import OWN_FOLDER

FORMS = {path.stem: load_questionnaire(path) for path in sorted(OWN_FOLDER.glob("*.toml"))}


def plain(text: str) -> str:
    """Without spaces: where a line breaks on paper is not the point."""
    return re.sub(r"\s+", "", text)


def printed(form: Questionnaire, name: str, folder: Path, **wishes: str | None) -> PdfReader:
    file = folder / "form.pdf"
    pages = write_paper(form, name, file, **wishes)
    reader = PdfReader(file)
    assert len(reader.pages) == pages
    return reader


def text_of(reader: PdfReader) -> str:
    return "\n".join(page.extract_text() for page in reader.pages)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_item_title_source_and_wording_is_on_the_paper(
    name: str, language: str, tmp_path: Path
) -> None:
    form = FORMS[name]
    reader = printed(form, name, tmp_path, language=language)
    found = plain(text_of(reader))
    facts = form.questionnaire
    wanted = [facts.title[language], facts.source, facts.licence, str(form.languages[language])]
    wanted += [facts.intro[language]] if facts.intro else []
    for item in form.items:
        wanted += item.anchors.get(language, [])
        wanted += [item.text[language]] if item.text else []
        wanted += [choice.text[language] for choice in item.choices]
        wanted += item.labels.get(language, [])
        wanted += item.body.get(language, "").split("\n\n")
        wanted.append(form.instruction(item, language))
    missing = [text for text in wanted if plain(text) not in found]
    assert missing == []
    label = {"en": "Participant:", "pt": "Participante:"}[language]
    number = {"en": "Page {} of {}", "pt": "Página {} de {}"}[language]
    for place, page in enumerate(reader.pages, 1):
        text = plain(page.extract_text())
        assert label in text
        assert plain(number.format(place, len(reader.pages))) in text


def test_the_order_on_paper_is_that_of_the_participants_page(tmp_path: Path) -> None:
    form = FORMS["avantsatie_experience"]
    text = plain(text_of(printed(form, "avantsatie_experience", tmp_path, participant="p07")))
    shown = form.shown("avantsatie_experience", "en", "p07")["items"]
    places = [text.index(plain(item["text"])) for item in shown]
    assert places == sorted(places)
    assert "p07" in text
    other = form.shown("avantsatie_experience", "en", "p08")["items"]
    assert [item["id"] for item in shown] != [item["id"] for item in other]


def test_the_same_paper_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.pdf", "two.pdf"):
        write_paper(FORMS["sam"], "sam", tmp_path / name, participant="p01")
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def form_in(folder: Path, words: str) -> Questionnaire:
    path = folder / "form.toml"
    path.write_text(
        f'[questionnaire]\ntitle = {{ cs = "{words}" }}\nsource = "SERA"\nlicence = "MIT"\n'
        '[languages.cs]\nours = "wording"\n[[items]]\nid = "a"\nkind = "scale"\npoints = 5\n'
        f'text = {{ cs = "{words} <b>&" }}\n'
        f'anchors = {{ cs = ["1 {words}", "2", "3", "4", "5"] }}\n',
        encoding="utf-8",
    )
    return load_questionnaire(path)


def test_letters_beyond_the_standard_font_are_printed_and_marks_are_letters(tmp_path: Path) -> None:
    text = plain(text_of(printed(form_in(tmp_path, "Ďábel żółw"), "form", tmp_path)))
    assert "Ďábelżółw<b>&" in text
    assert "1Ďábelżółw" in text


def test_letters_that_no_font_has_are_told(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="no font here has the letter '漢'"):
        write_paper(form_in(tmp_path, "漢字"), "form", tmp_path / "form.pdf")
    assert not (tmp_path / "form.pdf").exists()


def test_a_very_long_text_goes_over_several_pages(tmp_path: Path) -> None:
    path = tmp_path / "form.toml"
    body = "\\n\\n".join(["lorem " * 300] * 12)
    path.write_text(
        '[questionnaire]\ntitle = { en = "Long" }\nsource = "SERA"\nlicence = "MIT"\n'
        '[languages.en]\nours = "wording"\n[[items]]\nid = "a"\nkind = "info"\n'
        f'text = {{ en = "Read" }}\nbody = {{ en = "{body}" }}\n',
        encoding="utf-8",
    )
    reader = printed(load_questionnaire(path), "form", tmp_path)
    assert len(reader.pages) > 2
    assert text_of(reader).count("lorem") == 3600


def test_a_text_that_fits_on_no_page_is_told(tmp_path: Path) -> None:
    form = form_in(tmp_path, "lorem " * 3000)
    with pytest.raises(PaperError, match="an item of 'form' is too large for a page"):
        write_paper(form, "form", tmp_path / "form.pdf")


def test_many_points_do_not_overlap(tmp_path: Path) -> None:
    form = FORMS["rosas"]
    items = [item.model_copy(update={"points": 21}) for item in form.items]
    text = text_of(printed(form.model_copy(update={"items": items}), "rosas", tmp_path))
    assert text.count("21") >= 18


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("language", ["en", "pt"])
def test_a_group_that_goes_on_over_the_page_has_its_instruction_there_too(
    name: str, language: str, tmp_path: Path
) -> None:
    form = FORMS[name]
    reader = printed(form, name, tmp_path, language=language)
    pages = [plain(page.extract_text()) for page in reader.pages]
    seen: dict[str, int] = {}
    for item in form.items:
        instruction = plain(form.instruction(item, language))
        asked = plain(item.text[language] if item.text else item.anchors[language][0])
        for place, page in enumerate(pages):
            if instruction and asked in page:
                assert instruction in page, f"{item.id} on page {place + 1}"
                seen[instruction] = seen.get(instruction, 0) + 1
    for instruction in seen:
        assert all(page.count(instruction) <= 1 for page in pages), "once a page is enough"


def test_long_forms_do_go_on_over_the_page(tmp_path: Path) -> None:
    """Otherwise the test above would look at nothing."""
    for name in ("godspeed", "ahoy_experience"):
        reader = printed(FORMS[name], name, tmp_path, language="en")
        texts = {plain(FORMS[name].instruction(item, "en")) for item in FORMS[name].items}
        pages = [plain(page.extract_text()) for page in reader.pages]
        assert any(sum(text in page for page in pages) > 1 for text in texts if text)
