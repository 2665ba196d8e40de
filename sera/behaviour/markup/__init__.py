"""Markup of lines: read, filled with tags, resolved for a body, linted, written back."""

from sera.behaviour.markup.builtin import BUILT_IN_VERBS
from sera.behaviour.markup.controls import CONTROLS, ControlSpec
from sera.behaviour.markup.fill import FilledLine, fill
from sera.behaviour.markup.lint import Vocabulary, lint_line, lint_text
from sera.behaviour.markup.parsed import MarkupError, ParsedLine, parse
from sera.behaviour.markup.resolve import Abilities, Resolution, Substituted, resolve
from sera.behaviour.markup.sending import message_sent
from sera.behaviour.markup.steps import Pause, Rate, Step, Value
from sera.behaviour.markup.syntax import DEFAULT_SYNTAX, MarkupSyntax, TagDelimiters
from sera.behaviour.markup.tokens import (
    Argument,
    Instruction,
    Literal,
    SpeechControl,
    TagUse,
    Token,
)
from sera.behaviour.markup.verb_file import load_verbs
from sera.behaviour.markup.verbs import Fallback, Kind, Parameter, Sending, VerbRegistry, VerbSpec
from sera.behaviour.markup.words import Word, words_of

__all__ = [
    "BUILT_IN_VERBS",
    "CONTROLS",
    "DEFAULT_SYNTAX",
    "Abilities",
    "Argument",
    "ControlSpec",
    "Fallback",
    "FilledLine",
    "Instruction",
    "Kind",
    "Literal",
    "MarkupError",
    "MarkupSyntax",
    "Parameter",
    "ParsedLine",
    "Pause",
    "Rate",
    "Resolution",
    "Sending",
    "SpeechControl",
    "Step",
    "Substituted",
    "TagDelimiters",
    "TagUse",
    "Token",
    "Value",
    "VerbRegistry",
    "VerbSpec",
    "Vocabulary",
    "Word",
    "fill",
    "lint_line",
    "lint_text",
    "load_verbs",
    "message_sent",
    "parse",
    "resolve",
    "words_of",
]
