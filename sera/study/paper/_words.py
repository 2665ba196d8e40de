"""What the paper itself says, by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaperWords:
    """The words of one language."""

    participant: str
    page: str
    several: str
    agree: str


_WORDS = {
    "en": PaperWords(
        participant="Participant",
        page="Page {page} of {pages}",
        several="Tick all that fit.",
        agree="Yes, I agree",
    ),
    "pt": PaperWords(
        participant="Participante",
        page="Página {page} de {pages}",
        several="Assinale todas as que se aplicam.",
        agree="Sim, concordo",
    ),
}


def paper_words(tag: str) -> PaperWords:
    """The words of a language, or English ones."""
    return _WORDS.get(tag.split("-", maxsplit=1)[0], _WORDS["en"])
