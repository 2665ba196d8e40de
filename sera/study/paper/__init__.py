"""Questionnaires on paper: a PDF with boxes to tick, in the order of a participant."""

from sera.study.paper._write import PaperError, write_paper

__all__ = ["PaperError", "write_paper"]
