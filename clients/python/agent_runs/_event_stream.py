"""Server-sent events."""

from __future__ import annotations

import codecs
import dataclasses
import re


@dataclasses.dataclass
class Message:
    """One message of an event stream."""

    event: str = "message"
    data: str = ""
    id: str | None = None
    retry: float | None = None
    """Seconds to wait before the next connection."""


class EventStreamParser:
    """
    Parses an event stream (HTML standard, section 9.2.6). A message counts when its empty line has arrived, so that
    one that was cut off is never seen, nor its id.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._message = Message()

    def feed(self, chunk: bytes) -> list[Message]:
        """The messages that end in a part of the stream."""
        # A CR at the end may be half of a CR LF.
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decoder.decode(chunk))
        messages = []
        for line in lines:
            if line == "":
                messages.append(self._message)
                self._message = Message()
            else:
                self._add(line)
        return messages

    def _add(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        message = self._message
        if field == "event":
            message.event = value
        elif field == "data":
            message.data = f"{message.data}\n{value}" if message.data else value
        elif field == "id":
            message.id = value
        elif field == "retry" and value.isdecimal():
            message.retry = int(value) / 1000
