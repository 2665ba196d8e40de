"""Words said otherwise than written, with the offsets of the text as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.speech import (
    EspeakVoice,
    Pronunciation,
    PronunciationError,
    PronunciationList,
    load_pronunciations,
)

LIST = PronunciationList(
    {
        "en": {"SERA": Pronunciation("see rah long"), "C++": Pronunciation("see plus plus")},
        "*": {"NAO": Pronunciation("now", "n'aU"), "sera": Pronunciation("for all")},
        "pt-PT": {"NAO": Pronunciation("náu")},
    }
)


def test_whole_words_are_replaced_whatever_their_case():
    spoken = LIST.respell("Sera and SERA, not seraphim; C++ too.", "en-GB", phonemes=False)
    assert spoken.text == "see rah long and see rah long, not seraphim; see plus plus too."


def test_the_nearer_language_wins_and_phonemes_go_to_engines_that_speak_them():
    assert LIST.respell("nao", "en", phonemes=True).text == "[[n'aU]]"
    assert LIST.respell("nao", "en", phonemes=False).text == "now"
    assert LIST.respell("nao", "pt-pt", phonemes=False).text == "náu"
    assert LIST.respell("nao", "pt-BR", phonemes=False).text == "now"
    assert LIST.respell("sera", "de", phonemes=False).text == "for all"


@given(st.lists(st.sampled_from(["SERA", "NAO", "and", " ", ", ", "seraphim"]), max_size=20))
def test_every_kept_character_leads_back_to_itself(parts):
    text = "".join(parts)
    spoken = LIST.respell(text, "en", phonemes=False)
    for offset, sign in enumerate(spoken.text):
        back = spoken.original_offset(offset)
        replaced = text[back : back + 4].casefold().startswith(("sera", "nao"))
        assert text[back] == sign or replaced
    back = [spoken.original_offset(offset) for offset in range(len(spoken.text))]
    assert back == sorted(back)


@pytest.mark.needs_program("espeak-ng")
async def test_reported_offsets_are_those_of_the_text_as_written():
    text = "Dear SERA and NAO, welcome home."
    voice = EspeakVoice(pronunciations=LIST)
    speech = await voice.synthesise(text)
    plain = await EspeakVoice().synthesise(text)
    await voice.close()
    assert speech.text == text
    assert [w.text for w in speech.words] == ["Dear", "SERA", "and", "NAO", "welcome", "home"]
    assert [w.offset for w in speech.words] == [w.offset for w in plain.words]
    assert not speech.estimated
    longer_s = speech.words[1].end_s - speech.words[1].start_s
    assert longer_s > 1.5 * (plain.words[1].end_s - plain.words[1].start_s)


def test_a_toml_list_is_read(tmp_path):
    file = tmp_path / "words.toml"
    file.write_text(
        '[en]\nSERA = "Sarah"\n"two words" = "one"\nNAO = { phonemes = "n\'aU" }\n', "utf-8"
    )
    words = load_pronunciations(file)
    assert words.respell("SERA, two words", "en", phonemes=False).text == "Sarah, one"
    assert words.respell("NAO", "en", phonemes=True).text == "[[n'aU]]"
    assert words.respell("NAO", "en", phonemes=False).text == "NAO"


def test_a_csv_list_is_read(tmp_path):
    file = tmp_path / "words.csv"
    file.write_text("Word,Language,Respelling\nSERA,en,Sarah\n\nNAO,,now\n", "utf-8-sig")
    words = load_pronunciations(file)
    assert words.respell("SERA NAO", "en", phonemes=False).text == "Sarah now"
    assert words.respell("SERA NAO", "pt", phonemes=False).text == "SERA now"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.toml", 'SERA = "Sarah"\n', r"a\.toml:1: SERA: words stand in the table"),
        ("b.toml", "[en]\n\nNAO = 3\n", r"b\.toml:3: en\.NAO: a pronunciation is a text"),
        (
            "c.toml",
            '[en]\nNAO = { fonemes = "x" }\n',
            r"c\.toml:2: .*'fonemes'; did you mean 'phonemes'",
        ),
        ("d.toml", '[en]\nNAO = ""\n', r"d\.toml:2: .*respelling of 'NAO' is not a text"),
        ("e.toml", '[en]\nNAO = "[[x]]"\n', r"e\.toml:2: .*brackets"),
        ("f.toml", "[en\n", r"f\.toml:1.*not valid TOML"),
        ("g.csv", "a,b\n", r"g\.csv:1: the first line names the columns"),
        ("h.csv", "word,respeling,phonemes\n", r"'respeling'; did you mean 'respelling'"),
        ("i.csv", "word,respelling\nNAO,\n", r"i\.csv:2: 'NAO' has neither"),
        ("j.csv", "word,respelling\n,now\n", r"j\.csv:2: the word is missing"),
    ],
)
def test_what_is_wrong_in_a_list_is_said_with_its_place(tmp_path, name, content, sentence):
    file = tmp_path / name
    file.write_text(content, "utf-8")
    with pytest.raises(PronunciationError, match=sentence):
        load_pronunciations(file)


def test_a_missing_list_is_said_so(tmp_path):
    with pytest.raises(PronunciationError, match="there is no such file"):
        load_pronunciations(tmp_path / "none.toml")


def test_the_fingerprint_changes_with_what_is_said_and_only_then():
    other = PronunciationList({"en": {"SERA": Pronunciation("Sarah")}})
    assert LIST.fingerprint("en") == LIST.fingerprint("EN")
    assert LIST.fingerprint("en") != other.fingerprint("en")
    assert other.fingerprint("pt") == PronunciationList().fingerprint("pt") == ""
