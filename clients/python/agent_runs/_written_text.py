"""The text that a model writes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._types import Event


class TextPlace(NamedTuple):
    """The step of a run whose answer a model writes."""

    turn: int
    step: int


class WrittenText:
    """Joins the parts of the text that a model writes."""

    def __init__(self) -> None:
        self._recorded = TextPlace(0, 0)  # the last step whose answer is recorded
        self._place: TextPlace | None = None
        # UTF-16, two bytes for each code unit: the service counts these, and a part can end within a character.
        self._units = b""

    def restart(self) -> None:
        """Forgets what is being written: another connection begins it again."""
        self._place = None

    def add(self, delta: Any) -> tuple[str, TextPlace] | None:
        """
        The text of the step so far. None: its beginning is missing, or the whole text was passed on.

        `delta`: a message of an event stream, with the text of a step from code unit `from` on. 0: it begins, or begins
        again.
        """
        place = TextPlace(delta["turn"], delta["step"])
        if place <= self._recorded:
            return None  # it came after the event
        before = self._units if place == self._place else b""
        start = delta["from"] * 2
        if start > len(before):
            self._place = None
            return None
        self._place = place
        self._units = before[:start] + delta["text"].encode("utf-16-le", "surrogatepass")
        return self._units.decode("utf-16-le", "ignore"), place

    def record(self, event: Event) -> tuple[str, TextPlace] | None:
        """
        The whole text of a recorded answer, which replaces its parts: the last of them are often not sent. None: it has
        none.
        """
        if event["type"] != "model_call":
            return None
        self._place = None
        self._recorded = TextPlace(event["turn"], event["step"])
        text = event.get("text")
        return (text, self._recorded) if text else None
