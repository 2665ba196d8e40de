"""What a recogniser waits for: phrases, and how they are written for it (JSGF, language model).

Design overview: a `Grammar` holds the phrases that matter now, as spoken words beside what the
author wrote. `jsgf` writes it as a JSGF grammar in which nothing else can be said; `spotting_model`
as a small language model in which each phrase is one entry among everyday words, so that other
speech has somewhere to go and is not forced into a phrase.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sera.hearing.grammar_words import spoken_words

MOST_PHRASES = 500
PHRASE_SHARE = 0.1
"""How likely a phrase is against everyday words. At 0.3 other speech was taken for phrases, at
0.03 phrases in noise were lost."""
_END_SHARE = 0.2
_EVERYDAY = """
oh well um uh i you we he she they it that this the a an and but so of to in is are am do
don't not can will would like want think know please thank thanks course really very much now
then later robot hello what where who when how why all right let's me my your have has was be
for with on at good time day one two go get see look come here there some down up out just
people man way make take little long work world old new first last big home hand night morning
water said say talk tell story word name played line money house school music friend
"""
FILLERS = tuple(_EVERYDAY.split())
"""What other speech is heard as."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase."""

    written: str
    """As the author has it; this is what is reported, so that the author's test finds it."""
    words: tuple[str, ...]
    """As it is said."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The phrases that matter now."""

    phrases: tuple[Phrase, ...] = ()
    unusable: tuple[str, ...] = field(default=(), compare=False)
    """What was written and cannot be said."""

    @classmethod
    def of(cls, written: Iterable[str]) -> Grammar:
        """From what an author wrote; phrases that sound alike count once."""
        kept: dict[tuple[str, ...], Phrase] = {}
        unusable: list[str] = []
        for text in written:
            words = spoken_words(text)
            if not words:
                unusable.append(text)
            elif len(kept) < MOST_PHRASES:
                kept.setdefault(words, Phrase(" ".join(text.split())[:300], words))
        return cls(tuple(kept.values()), tuple(unusable))

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All words that occur, each once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase.words))


def jsgf(grammar: Grammar, name: str = "heard") -> str:
    """The grammar in which one of the phrases is said and nothing else; needs one phrase."""
    if not grammar.phrases:
        raise ValueError("a grammar needs at least one phrase that can be said")
    name = "".join(one for one in name if one.isascii() and one.isalnum()) or "heard"
    lines = "\n  | ".join(" ".join(phrase.words) for phrase in grammar.phrases)
    return f"#JSGF V1.0 UTF-8 en;\ngrammar {name};\n\npublic <phrase> =\n    {lines}\n  ;\n"


def spotting_model(phrases: Iterable[str], fillers: Iterable[str]) -> str:
    """An ARPA language model of entries of the dictionary: phrases amid everyday words."""
    wanted, others = tuple(phrases), tuple(fillers)
    share = PHRASE_SHARE if others else 1.0
    said = 1.0 - _END_SHARE
    rows = [(each, (1.0 - share) * said / len(others)) for each in others]
    rows += [(each, share * said / len(wanted)) for each in wanted]
    rows.append(("</s>", _END_SHARE))
    table = "".join(f"{math.log10(chance):.4f} {entry}\n" for entry, chance in rows)
    return f"\\data\\\nngram 1={len(rows) + 1}\n\n\\1-grams:\n-99 <s>\n{table}\n\\end\\\n"


__all__ = ["FILLERS", "MOST_PHRASES", "Grammar", "Phrase", "jsgf", "spotting_model"]
