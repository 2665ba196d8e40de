"""The questionnaires that SERA has: counts, languages, reversed items, and their validation."""

from __future__ import annotations

import pytest

from sera.study import Questionnaire, load_questionnaire, scales_of
from sera.study.questionnaire import OWN_FOLDER

FORMS = {path.stem: load_questionnaire(path) for path in sorted(OWN_FOLDER.glob("*.toml"))}
COUNTS = {
    "ahoy_experience": {
        "Performance": 2,
        "Quality": 2,
        "Lifelikeness": 2,
        "Staging": 2,
        "Thought": 2,
        "Motivation": 2,
        "Animation": 10,
        "Recognition": 1,
        "Legibility": 3,
        "Intention": 4,
    },
    "almere_adaptability": {"PA": 3},
    "avantsatie_experience": {
        "TP": 4,
        "TU": 4,
        "RPU": 8,
        "RI": 7,
        "RM": 4,
        "RIM": 11,
        "AIL": 4,
    },
    "godspeed": {
        "Anthropomorphism": 5,
        "Animacy": 6,
        "Likeability": 5,
        "PerceivedIntelligence": 5,
        "PerceivedSafety": 3,
    },
    "ios": {"IOS": 1},
    "nasa_tlx": {"TLX": 6},
    "networked_minds": {"CP": 6, "PMU": 6, "NM": 12},
    "rosas": {"RW": 6, "RC": 6, "RD": 6},
    "sam": {"Pleasure": 1, "Arousal": 1, "Dominance": 1},
}
POINTS = {
    "ahoy_experience": 6,
    "almere_adaptability": 5,
    "avantsatie_experience": 6,
    "godspeed": 5,
    "ios": 7,
    "networked_minds": 7,
    "rosas": 9,
    "sam": 9,
}
REVERSED = {
    "avantsatie_experience": {"TU1", "TU2", "TU4"},
    "godspeed": {"safety_3"},
    "manipulation_check": {"ignored_me"},
    "networked_minds": {"PMU5", "PMU6"},
}
_REPRINTS = "compared with reprints, not with the publication itself"
VALIDATED = {
    "godspeed": f"validated (Bartneck et al., 2009); words {_REPRINTS}",
    "rosas": f"validated (Carpinella et al., 2017); words, instruction and anchors {_REPRINTS}",
    "nasa_tlx": f"validated (Hart & Staveland, 1988); questions {_REPRINTS}",
}
ROSAS = {
    "RW": "Happy Feeling Social Organic Compassionate Emotional",
    "RC": "Capable Responsive Interactive Reliable Competent Knowledgeable",
    "RD": "Scary Strange Awkward Dangerous Awful Aggressive",
}
NETWORKED_MINDS = {
    "CP1": "I noticed my partner.",
    "CP2": "My partner noticed me.",
    "CP3": "My partner's presence was obvious to me.",
    "CP4": "My presence was obvious to my partner.",
    "CP5": "My partner caught my attention.",
    "CP6": "I caught my partner's attention.",
    "PMU1": "My thoughts were clear to my partner.",
    "PMU2": "My partner's thoughts were clear to me.",
    "PMU3": "It was easy to understand my partner.",
    "PMU4": "My partner found it easy to understand me.",
    "PMU5": "Understanding my partner was difficult.",
    "PMU6": "My partner had difficulty understanding me.",
}
"""As reprinted by studies that used them."""


def test_every_form_of_the_documents_is_there() -> None:
    wanted = {"demographics", "demographics_avantsatie", "manipulation_check", "comments"}
    assert set(FORMS) >= {*COUNTS, *wanted, "consent", "debriefing"}


@pytest.mark.parametrize("name", COUNTS)
def test_every_scale_has_as_many_items_as_published(name: str) -> None:
    form = FORMS[name]
    assert {table.name: len(form.items_of(table.name)) for table in form.scales} == COUNTS[name]
    inside = {item for table in form.scales for item in form.items_of(table.name)}
    assert inside == {item.id for item in form.items}


@pytest.mark.parametrize("name", POINTS)
def test_every_item_has_the_published_points(name: str) -> None:
    assert {item.points for item in FORMS[name].items} == {POINTS[name]}


@pytest.mark.parametrize("name", FORMS)
def test_the_items_that_are_reversed_are_these(name: str) -> None:
    turned = {item.id for item in FORMS[name].items if item.reversed}
    assert turned == REVERSED.get(name, set())


def test_lower_is_better_in_discomfort_and_workload_only() -> None:
    assert {scale.name for scale in scales_of(FORMS) if scale.negative} == {"RD", "TLX"}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("language", ["en", "pt"])
def test_every_form_is_whole_in_every_language(name: str, language: str) -> None:
    form = FORMS[name]
    assert set(form.languages) == {"en", "pt"}
    shown = form.shown(name, language)
    assert shown["language"] == language
    assert shown["source"]
    assert shown["licence"]
    for item in shown["items"]:
        assert item["text"].strip()
    for table in form.scales:
        assert table.title[language]


@pytest.mark.parametrize("name", FORMS)
def test_the_two_languages_are_not_the_same_words(name: str) -> None:
    texts = [item.text for item in FORMS[name].items if item.text]
    same = [text for text in texts if text["en"] == text["pt"]]
    assert len(same) <= 1, same  # "Social" is one word


@pytest.mark.parametrize("name", FORMS)
def test_every_language_says_whether_it_was_validated(name: str) -> None:
    for tag, wording in FORMS[name].languages.items():
        told = str(wording)
        assert told.startswith("validated (") or "not validated" in told
        if name in VALIDATED and tag == "en":
            assert told == VALIDATED[name]
        if tag == "pt":
            assert not told.startswith("validated")


@pytest.mark.parametrize(
    "name", ["godspeed", "rosas", "nasa_tlx", "networked_minds", "almere_adaptability"]
)
def test_english_words_of_a_publication_say_what_they_were_compared_with(name: str) -> None:
    told = FORMS[name].shown(name, "en")["wording"]
    assert "compared with" in told
    assert "not with the publication" in told or "not compared with the publication" in told


def test_the_words_of_rosas_are_those_of_its_three_scales() -> None:
    form = FORMS["rosas"]
    words = {item.id: item.text["en"] for item in form.items}
    for scale, wanted in ROSAS.items():
        assert [words[item] for item in form.items_of(scale)] == wanted.split()


def test_the_items_of_networked_minds_speak_of_the_robot_and_say_the_same_otherwise() -> None:
    items = {item.id: item.text["en"] for item in FORMS["networked_minds"].items}
    wanted = {
        name: text.replace("My partner", "The robot").replace("my partner", "the robot")
        for name, text in NETWORKED_MINDS.items()
    }
    assert items == wanted


def test_drawings_of_our_own_are_not_called_validated() -> None:
    for name in ("ios", "sam"):
        for wording in FORMS[name].languages.values():
            assert wording.validated is None
            assert "drawings" in str(wording)


def test_consent_to_taking_part_is_needed_and_to_recording_is_not() -> None:
    form = FORMS["consent"]
    needed = {"taking_part": True, "withdraw": True, "data_use": True}
    assert form.problems_with({**needed, "recording": False}, {}) == []
    assert form.problems_with({**needed, "recording": True}, {}) == []
    refused = form.problems_with({**needed, "taking_part": False, "recording": True}, {})
    assert refused == ["taking_part: this has to be agreed to"]
    assert form.problems_with({**needed, "recording": 1}, {}) == [
        "recording: 1 is neither true nor false"
    ]


def test_a_slider_takes_steps_of_five_and_zero_is_an_answer() -> None:
    form = FORMS["nasa_tlx"]
    given = dict.fromkeys(form.items_of("TLX"), 0)
    assert form.problems_with(given, {}) == []
    for value, why in ((7, "not in steps of 5"), (105, "more than 100"), (-5, "less than 0")):
        (problem,) = form.problems_with({**given, "effort": value}, {})
        assert why in problem
    missing = {**given, "effort": None}
    assert form.problems_with(missing, {}) == ["effort: an answer is required"]


def test_something_to_read_has_no_answer() -> None:
    form = FORMS["debriefing"]
    assert form.problems_with({}, {}) == []
    assert form.problems_with({"purpose": True}, {}) == ["purpose: the form has no such item"]


def test_items_trade_places_within_their_group_by_participant() -> None:
    form: Questionnaire = FORMS["ahoy_experience"]
    orders = {tuple(form.order("ahoy_experience", f"p{number}")) for number in range(50)}
    assert len(orders) == 50
    files = form.order("ahoy_experience", None)
    assert files == [item.id for item in form.items]
    for order in orders:
        assert set(order[:8]) == set(files[:8])
        assert set(order[8:]) == set(files[8:])
    again = form.order("ahoy_experience", "p7")
    assert again == form.order("ahoy_experience", "p7")
    shown = form.shown("ahoy_experience", "en", "p7")["items"]
    assert [item["id"] for item in shown] == again


def test_over_many_participants_every_item_comes_first_equally_often() -> None:
    form = FORMS["almere_adaptability"]
    firsts = [form.order("almere_adaptability", f"p{number}")[0] for number in range(3000)]
    for item in ("PA1", "PA2", "PA3"):
        assert abs(firsts.count(item) - 1000) < 120  # four standard deviations are 103


def test_what_a_form_says_of_itself_is_true_of_a_page_with_one_item_too():
    for intro in FORMS["sam"].questionnaire.intro.values():
        assert "rows" not in intro
        assert "filas" not in intro
        assert "each" in intro or "cada" in intro
