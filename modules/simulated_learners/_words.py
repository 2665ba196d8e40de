"""What simulated learners say, in English and Portuguese; `{place}` is what a place is called."""

from __future__ import annotations

from collections.abc import Mapping

Sentences = Mapping[str, tuple[str, ...]]

ENGLISH: Sentences = {
    "hello": ("Hello!", "Hi!", "Hello, robot!"),
    "ready": ("Yes, ready!", "Yes!", "We are ready."),
    "idea": ("I think it is {place}.", "Maybe {place}?", "Is it {place}?"),
    "agree": ("Yes, {place}.", "I think so too.", "Yes."),
    "disagree": (
        "No, I think it is {place}.",
        "Wait, that is {place}.",
        "No, {place}!",
    ),
    "help": ("Try {place}.", "It must be {place}.", "I would say {place}."),
    "no_idea": ("I do not know.", "Hmm, hard.", "I am not sure."),
    "right": ("Yes!", "Got it!", "Cool."),
    "wrong": ("Oh.", "Oh no.", "Hmm."),
    "partner_right": ("Well done!", "Nice!"),
    "how": ("I counted the steps.", "I looked at the compass.", "North is up there."),
    "yes": ("Yes.", "Yes, it was.", "I think so."),
    "no": ("No.", "Not really."),
    "goodbye": ("Bye!", "Bye, robot!", "See you!"),
}

PORTUGUESE: Sentences = {
    "hello": ("Olá!", "Olá, robô!", "Boa tarde!"),
    "ready": ("Sim, vamos!", "Sim!", "Estamos prontos."),
    "idea": ("Acho que é {place}.", "Talvez {place}?", "Será {place}?"),
    "agree": ("Sim, {place}.", "Também acho.", "Sim."),
    "disagree": ("Não, acho que é {place}.", "Espera, é {place}.", "Não, {place}!"),
    "help": ("Experimenta {place}.", "Deve ser {place}.", "Eu diria {place}."),
    "no_idea": ("Não sei.", "Hum, é difícil.", "Não tenho a certeza."),
    "right": ("Boa!", "Consegui!", "Fixe."),
    "wrong": ("Oh.", "Oh, não.", "Hum."),
    "partner_right": ("Muito bem!", "Boa!"),
    "how": ("Contei os passos.", "Vi na bússola.", "O norte é ali em cima."),
    "yes": ("Sim.", "Sim, foi.", "Acho que sim."),
    "no": ("Não.", "Nem por isso."),
    "goodbye": ("Adeus!", "Adeus, robô!", "Até à próxima!"),
}

SENTENCES: Mapping[str, Sentences] = {"en": ENGLISH, "pt": PORTUGUESE}

READY_WORDS = ("ready", "shall we", "pronto", "vamos")
HOW_WORDS = ("how", "which", "what", "como", "qual", "que ")
"""How a learner tells what kind of answer a question wants."""
EASY_WORDS = ("easy", "hard", "fácil", "difícil")


def sentences(language: str) -> Sentences:
    """The words of a language; of its country's variants too; English where there is none."""
    return SENTENCES.get(language.partition("-")[0].lower(), ENGLISH)
