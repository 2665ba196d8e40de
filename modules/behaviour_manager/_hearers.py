"""Who hears the lines, and what they have heard before: memories of participants in files.

Threading: `begin` and `save` block and are called in a thread, one at a time.
"""

from __future__ import annotations

from pathlib import Path

from sera.behaviour.selection import Memory, load_memory, save_memory


class Hearers:
    """The participant of the session; without one, what was said is forgotten with the run.

    Args:
        folder: where memories are kept, one file a participant.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.memories: list[Memory] = []

    def begin(self, participant: str, session: str) -> tuple[str, ...]:
        """Somebody takes part from now on; what is wrong with their file comes back."""
        loaded = load_memory(self._folder, participant)
        loaded.memory.begin_session(session)
        self.memories = [loaded.memory]
        return loaded.problems

    def save(self) -> str | None:
        """Keep what was said so far; one sentence where that is not possible."""
        for memory in self.memories:
            try:
                save_memory(self._folder, memory)
            except OSError as error:
                return (
                    f"what {memory.participant} has heard cannot be kept in {self._folder}: "
                    f"{error.strerror}"
                )
        return None
