"""What authors write in headings and cells, in English, Portuguese and Spanish."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sera.behaviour.library.line import Repetitions

HEADINGS: dict[str, tuple[str, ...]] = {
    "text": (
        *("text", "texts", "utterance", "utterancetext", "line", "sentence"),
        *("texto", "frase", "fala", "enunciado"),
    ),
    "category": ("category", "categories", "categoria", "categorias"),
    "subcategory": ("subcategory", "subcategories", "subcategoria", "subcategorias"),
    "question": ("question", "isquestion", "questions", "pergunta", "epergunta", "pregunta"),
    "repetitions": (
        *("repetitions", "repetition", "repeat", "repeats"),
        *("repeticoes", "repeticao", "repeticiones", "repeticion"),
    ),
    "id": ("id", "ids", "lineid", "textid", "utteranceid", "identifier", "identificador"),
    "weight": ("weight", "weights", "peso"),
    "wait": ("wait", "waits", "espera", "esperar"),
    "current_state": (
        *("currentstate", "state", "fromstate"),
        *("estadoatual", "estadoactual"),
    ),
    "next_state": ("nextstate", "tostate", "proximoestado", "estadoseguinte", "siguienteestado"),
    "meaning": ("meaning", "significado", "sentido"),
    "style": ("style", "estilo"),
    "when": ("when", "quando", "cuando"),
}
"""The words for each meaning, as `key` makes them."""

MEANINGS = {word: meaning for meaning, words in HEADINGS.items() for word in words}

_TEXT_WORDS = sorted(HEADINGS["text"], key=len, reverse=True)

_LANGUAGE_CODES = (
    "af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fr ga gl gu he hi hr hu hy "
    "is it ja ka kk km kn ko lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt ro ru si "
    "sk sl sq sr sv sw ta te th tr uk ur uz vi xh zh zu"
)
"""The usual two-letter codes, one blank apart."""

_LANGUAGE_NAMES = {
    "english": "en",
    "ingles": "en",
    "portuguese": "pt",
    "portugues": "pt",
    "spanish": "es",
    "espanol": "es",
    "castellano": "es",
    "espanhol": "es",
    "french": "fr",
    "francais": "fr",
    "german": "de",
    "deutsch": "de",
    "italian": "it",
    "italiano": "it",
    "dutch": "nl",
    "nederlands": "nl",
    "swedish": "sv",
    "svenska": "sv",
}
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z0-9]{2,8}))?")

_TRUE = frozenset({"true", "yes", "y", "x", "1", "sim", "s", "si", "verdadeiro", "verdadero", "t"})
_FALSE = frozenset({"", "false", "no", "n", "0", "nao", "falso", "f"})
_TICKS = frozenset("✓✔☑?✅")

_REPETITIONS: dict[Repetitions, tuple[str, ...]] = {
    Repetitions.ANY: (
        *("", "any", "always", "unlimited", "anytime", "anynumber"),
        *("qualquer", "sempre", "ilimitado", "cualquiera", "siempre"),
    ),
    Repetitions.SESSION: (
        *("session", "onceinasession", "onceasession", "oncepersession", "oncesession"),
        *("sessao", "umavezporsessao", "sesion", "unavezporsesion"),
    ),
    Repetitions.EVER: (
        *("ever", "forever", "onceandforever", "onceever", "onceforever", "onlyonce"),
        *("umaveznavida", "umasovez", "parasempre", "unasolavez", "parasiempre"),
    ),
}
_REPETITION_OF = {word: rule for rule, words in _REPETITIONS.items() for word in words}


@lru_cache(maxsize=4096)
def key(written: str) -> str:
    """Letters and digits alone, in lower case and without accents: `Is Question?` → isquestion."""
    folded = unicodedata.normalize("NFKD", written).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def truth_of(written: str) -> bool | None:
    """Yes or no, None where it is neither."""
    if written.strip() in _TICKS:
        return True
    word = key(written)
    return True if word in _TRUE else False if word in _FALSE else None


def repetitions_of(written: str) -> Repetitions | None:
    """The rule that a cell names, None where it names none."""
    return _REPETITION_OF.get(key(written))


def language_of(written: str, *, any_code: bool = False) -> str | None:
    """The tag for `pt`, `pt_PT`, `Portuguese`, in lower case; None where it is no language.

    Args:
        written: what may name a language.
        any_code: also take codes that are not well known; without it `text old` is no Old Language.
    """
    name = _LANGUAGE_NAMES.get(key(written))
    if name is not None:
        return name
    match = _LANGUAGE.fullmatch(written.strip())
    if match is None or not (any_code or match[1].lower() in _LANGUAGE_CODES.split()):
        return None
    return match[0].strip().lower().replace("_", "-")


def text_language(heading: str) -> str | None:
    """The language of a text column (`TEXT pt`, `Text (en)`, `texto_es`), None where it is none."""
    for word in _TEXT_WORDS:
        match = re.match(rf"\s*{word}\s*[\s_:/([-]\s*(.+?)\s*[\])]?\s*\Z", heading, re.IGNORECASE)
        if match is not None:
            return language_of(match[1], any_code=heading.rstrip().endswith((")", "]")))
    return None
