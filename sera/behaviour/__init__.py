"""The behaviour manager: targets, gaze, utterance libraries, markup, performance of lines."""
