from __future__ import annotations

from typing import TypedDict

from ._types import Limits


class RunLimits(TypedDict, total=False):
    """Limits of a run, at or below those of the agent."""

    turn: Limits
    """Limits of each turn."""
    run: Limits
    """Limits of all turns together."""
