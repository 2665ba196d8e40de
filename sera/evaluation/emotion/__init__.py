"""Emotion in the null space, measured: the document's Pepper, its golden values, its bars."""
