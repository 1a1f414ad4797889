"""Answers to the calls of tools."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from ._api_error import APIError
from ._errors import InvalidArgument
from ._files import Content, FileInputs, open_files
from ._http import json_bytes
from ._types import OpenCall

ClientTools = Mapping[str, Callable[[Any], object]]
"""
Functions by the names of client tools; `ask_person` answers questions. Each gets the arguments of a call as a dict, and
returns a text or JSON, or a `ToolOutput` with files.
"""


@dataclasses.dataclass(frozen=True)
class ToolOutput:
    """What a function of `serve_tools` returns to answer with files, too: at most 10 MiB, for the run's workspace."""

    output: Any
    """A text or JSON."""
    files: FileInputs


NO_OUTPUT: Any = object()
"""An answer without output. None is JSON."""

# Characters of an error that the service accepts.
_max_error = 1_000_000
# The call no longer waits: somebody else answered it, or it expired, or the run was stopped.
_settled = ("already_answered", "call_not_found", "run_ended")


def answer_bytes(
    call: OpenCall, *, allow: bool | None, reason: str | None, output: Any, error: str | None, files: list[Content]
) -> bytes:
    """The body of a request that answers a call. It says which arguments the answer is for."""
    given = {"allow": allow is not None, "output": output is not NO_OUTPUT, "error": error is not None}
    names = [name for name, is_given in given.items() if is_given]
    if len(names) != 1:
        received = " and ".join(names) or "none of them"
        raise InvalidArgument(f"an answer has one of allow, output and error; received {received}")
    answer: dict[str, Any] = {"call": call["id"], "arguments_sha256": call["arguments_sha256"]}
    if allow is not None:
        answer["decision"] = "allow" if allow else "deny"
    if output is not NO_OUTPUT:
        answer["output"] = "null" if output is None else output  # the model reads JSON as text
    return json_bytes(
        {**answer, "reason": reason, "error": error, "files": [file.inline() for file in files] if files else None}
    )


def returned_answer(call: OpenCall, returned: object) -> bytes:
    """
    The answer of a function that returned. Raises TypeError or ValueError for what is no JSON, and OSError for a file
    that cannot be read.
    """
    given = returned if isinstance(returned, ToolOutput) else ToolOutput(returned, ())
    json.dumps(given.output, allow_nan=False)
    files = open_files(given.files)
    return answer_bytes(call, allow=None, reason=None, output=given.output, error=None, files=files)


def raised_answer(call: OpenCall, error: Exception) -> bytes:
    """The answer of a function that raised an error: its message, without where it was raised."""
    text = (str(error) or type(error).__name__)[:_max_error]
    return answer_bytes(call, allow=None, reason=None, output=NO_OUTPUT, error=text, files=[])


def is_settled(error: APIError) -> bool:
    """Whether the call no longer waits, so that its answer is not needed."""
    return error.code in _settled
