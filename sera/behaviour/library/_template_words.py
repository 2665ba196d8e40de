"""What the template workbook says: examples, notes on the headings, and the help sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """An example line; {0}, {1} are places for actions, which stay empty if they do not exist."""

    id: str
    category: str
    texts: dict[str, str]
    actions: tuple[tuple[str, str], ...] = ()
    """Verb and parameter; `target` and `animation` stand for the first one of the scenario."""
    question: str = "no"
    repetitions: str = "any"
    note: str = ""

    def text(self, language: str, verbs: Sequence[str], names: dict[str, str]) -> str:
        """The text with the actions that exist in this scenario."""
        root = language.lower().partition("-")[0]
        written = self.texts.get(root, self.texts["en"])
        known = {verb.upper() for verb in verbs}
        filled = []
        for verb, parameter in self.actions:
            value = names.get(parameter, parameter)
            filled.append(f"<{verb}({value})>" if verb in known and value else "")
        return " ".join(written.format(*filled).split())


EXAMPLES = (
    Example(
        "hello-1",
        "greeting:first",
        {
            "en": "{0} Hello! I am glad that you are here.",
            "pt": "{0} Olá! Que bom ter-te aqui.",
            "es": "{0} ¡Hola! Me alegro de que estés aquí.",
        },
        (("GAZE", "target"),),
        repetitions="session",
        note="Looks at somebody, then speaks. Said once in a session.",
    ),
    Example(
        "hello-2",
        "greeting:first",
        {
            "en": "{0} Good to see you. Shall we begin?",
            "pt": "{0} É bom ver-te. Vamos começar?",
            "es": "{0} Me alegro de verte. ¿Empezamos?",
        },
        (("ANIMATE", "animation"),),
        question="yes",
        note="A second line of the same category: the robot chooses one of them.",
    ),
    Example(
        "ask-plan",
        "question:plan",
        {
            "en": "What would you like to do first? {0}",
            "pt": "O que queres fazer primeiro? {0}",
            "es": "¿Qué quieres hacer primero? {0}",
        },
        (("GAZE", "target"),),
        question="yes",
        note="A question: afterwards the robot waits for an answer.",
    ),
    Example(
        "praise-1",
        "feedback:good",
        {
            "en": "{0} Well done! \\pau=300\\ That was not easy.",
            "pt": "{0} Muito bem! \\pau=300\\ Não era fácil.",
            "es": "{0} ¡Muy bien! \\pau=300\\ No era fácil.",
        },
        (("HEADNOD", "2"),),
        note="Nods, and makes a pause of 300 milliseconds.",
    ),
    Example(
        "listen-1",
        "backchannel",
        {"en": "{0} Mm-hm.", "pt": "{0} Hum-hum.", "es": "{0} Ajá."},
        (("HEADNOD", "1"),),
        note="A small sign that the robot listens.",
    ),
    Example(
        "goodbye-1",
        "farewell",
        {
            "en": "{0} Goodbye! It was a pleasure to meet you.",
            "pt": "{0} Adeus! Foi um prazer conhecer-te.",
            "es": "{0} ¡Adiós! Ha sido un placer conocerte.",
        },
        (("WAVE", "target"),),
        repetitions="ever",
        note="Said once and never again to the same person.",
    ),
)

NOTES = {
    "ID": "A short name of your own for the line. You may leave it empty. Each id may stand "
    "there once; a red cell means that it stands there twice.",
    "CATEGORY": "What the line is for. Choose one from the list or write a new one. Narrower "
    "groups follow after a colon: greeting:first.",
    "TEXT": "What the robot says. What it does stands in angle brackets at the word where it "
    "should happen: <GAZE(person)>. The sheet Actions writes them for you.",
    "QUESTION": "yes: afterwards the robot is silent and waits for an answer.",
    "REPETITIONS": "any: as often as you like. session: once in a session. "
    "ever: once and never again to the same participant.",
    "NOTES": "For you. The robot does not read it. You may add more columns.",
}

HELP: tuple[tuple[str, str], ...] = (
    ("How to write lines for the robot", ""),
    ("1", "Go to the sheet Utterances. Each row is one line that the robot can say."),
    (
        "2",
        "Write what it says under TEXT, and choose a CATEGORY. The other columns may stay empty.",
    ),
    ("3", "Delete the six examples when you no longer need them, and save the file."),
    ("4", "Let the file be checked: sera utterances lint and the name of the file."),
    ("The columns", ""),
    ("ID", NOTES["ID"]),
    ("CATEGORY", NOTES["CATEGORY"] + " Several lines of one category: the robot varies them."),
    ("TEXT", "What the robot says. With several languages there is one such column for each."),
    ("QUESTION", NOTES["QUESTION"]),
    ("REPETITIONS", NOTES["REPETITIONS"]),
    ("WEIGHT", "Not in this sheet, but you may add it: 2 makes a line twice as likely, 0 never."),
    ("Other columns", "Add any you like, such as MOOD or PHASE. They are kept with the line."),
    ("Inside a text", ""),
    ("Actions", "<VERB(name)> happens when the voice comes to that place. See the sheet Actions."),
    ("Pause", "\\pau=500\\ is half a second of silence."),
    ("Speed", "\\rspd=80\\ speaks at 80 per cent of the usual speed from there on."),
    ("Tags", "/name/ is replaced by the value of that moment, such as a player's name."),
    ("No words", "A text may hold actions alone: the robot then acts without speaking."),
    ("Good to know", ""),
    ("Rows", "Insert, move, sort and colour rows as you like. Empty rows do no harm."),
    ("Headings", "Columns may change places. Only their headings must stay."),
    ("Saving", "A running robot takes up what you save, except during a study."),
)
