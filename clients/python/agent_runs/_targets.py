"""Where downloads go."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import uuid
from typing import IO, Protocol

from ._errors import InvalidArgument


class Target(Protocol):
    """What takes the parts of a download."""

    def begin(self) -> None:
        """Begins with the first byte. Called again, it drops what was written."""

    def write(self, part: bytes, /) -> None: ...

    def sha256(self) -> str:
        """In hex digits, of all that was written."""


class Memory:
    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def begin(self) -> None:
        self._parts.clear()

    def write(self, part: bytes) -> None:
        self._parts.append(part)

    def sha256(self) -> str:
        return hashlib.sha256(self.content()).hexdigest()

    def content(self) -> bytes:
        content = b"".join(self._parts)
        self._parts = [content]
        return content


class SavedFile:
    """
    A file that is written as it arrives. It has another name until it is whole, so that a download that fails leaves
    the file of before. What is no plain file, such as a pipe, is written in place.
    """

    def __init__(self, to: str | os.PathLike[str], name: str) -> None:
        """`to`: a path, or a folder, in which the file gets `name`, with sub-folders as in the name."""
        self._to = pathlib.Path(to)
        self._name = name
        self._path = self._to
        self._partial: pathlib.Path | None = None
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()

    def begin(self) -> None:
        self._hash = hashlib.sha256()
        if self._file is None:
            self._file = self._create()
        else:
            self._file.seek(0)
            self._file.truncate()

    def write(self, part: bytes) -> None:
        assert self._file is not None
        self._hash.update(part)
        self._file.write(part)

    def sha256(self) -> str:
        return self._hash.hexdigest()

    def finish(self) -> pathlib.Path:
        """Gives the file its name. Returns its path."""
        assert self._file is not None
        self._file.close()
        if self._partial is not None:
            self._partial.replace(self._path.resolve())  # a link stays one
        return self._path

    def discard(self) -> None:
        """Removes what was written."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        if self._partial is not None:
            self._partial.unlink(missing_ok=True)

    def _create(self) -> IO[bytes]:
        self._path = _make_place(self._to, self._name) if self._to.is_dir() else self._to
        if self._path.exists() and not self._path.is_file():
            return self._path.open("wb")
        mode = self._path.stat().st_mode & 0o777 if self._path.exists() else 0o666
        partial = self._path.resolve().with_name(f".{uuid.uuid4()}.part")
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), mode)
        self._partial = partial
        return open(descriptor, "wb")


def _make_place(folder: pathlib.Path, name: str) -> pathlib.Path:
    """
    Makes the folders of `name` in a folder, and returns the path of the file in them. Raises `InvalidArgument` for a
    name that would leave the folder: by its parts, or because a part is a symbolic link.
    """
    parts = name.split("/")
    place = folder
    for number, part in enumerate(parts, 1):
        # On Windows, a part with a backslash or a drive has several parts.
        is_plain = pathlib.PurePath(part).parts == (part,) and part not in (".", "..") and "\0" not in part
        place = place / part
        if not is_plain or place.is_symlink():
            raise InvalidArgument(f"{name!r} would not be a file in {str(folder)!r}; pass the path of the file as `to`")
        if number < len(parts):
            place.mkdir(exist_ok=True)
    return place
