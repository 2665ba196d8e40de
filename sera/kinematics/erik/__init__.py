"""ERIK: hold an expressive posture while the end point faces a given orientation."""
