"""Signals with known truth for the senses, made by programs, and how well they are perceived.

`video` moves portraits on known paths, `measure_video` compares what the tracker says of them;
`sound` mixes voices, noise and rooms. No picture and no sound is kept in the repository.
"""
