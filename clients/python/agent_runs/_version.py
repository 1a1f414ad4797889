__version__ = "0.2.0"
"""Of this client. pyproject.toml reads it from here."""
