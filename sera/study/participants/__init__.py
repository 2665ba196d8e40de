"""Simulated participants: persons drawn from a population, who see a robot's body and learn.

`draw_person` gives the traits of one person of a seeded population; a `PostureReader` sees where
the parts of a body are, with noise, from joint angles alone; a `MeaningLearner` finds out what
postures mean from what they turned out to have meant. `answer_form` fills in questionnaires from a
stated model of what somebody experienced. None of this supports a claim about people.
"""

from sera.study.participants.answers import Experience, answer_form
from sera.study.participants.meaning import MeaningLearner
from sera.study.participants.population import Person, draw_person
from sera.study.participants.posture_reader import PostureReader

__all__ = [
    "Experience",
    "MeaningLearner",
    "Person",
    "PostureReader",
    "answer_form",
    "draw_person",
]
