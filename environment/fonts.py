"""Lets matplotlib draw Chinese, Japanese and Korean: it takes characters that the chosen fonts lack from WenQuanYi Micro Hei.

A list of fonts in matplotlibrc would do so for its default only. `seaborn.set_theme()` replaces the list, as do scripts that name fonts of
other systems, such as SimHei; and texts with a formula take one font. Usage: python3 fonts.py FOLDER, that of the installed libraries.
"""

import pathlib
import sys

FONT = "FontProperties(family='WenQuanYi Micro Hei', weight='normal')"


def insert(file, before, added):
    path = pathlib.Path(sys.argv[1], "matplotlib", file)
    text = path.read_text(encoding="utf-8")
    if text.count(before) != 1:
        sys.exit(f"{path} does not have these lines once: adapt fonts.py to this version of matplotlib.\n{before}")
    path.write_text(text.replace(before, added + before), encoding="utf-8")


# The end of `_find_fonts_by_props`, which all backends ask for the fonts of a text.
insert(
    "font_manager.py",
    """        return fpaths

    @lru_cache(1024)
""",
    f"""        # Added by fonts.py of the environment.
        if fontext == 'ttf' and directory is None:
            last = self.findfont({FONT})
            if last not in fpaths:
                fpaths.append(last)
""",
)
# In `UnicodeFonts._get_glyph`: no font of the formula has the character.
insert(
    "_mathtext.py",
    """                _log.warning("Font %r does not have a glyph for %a [U+%x], "
""",
    f"""                # Added by fonts.py of the environment.
                last = get_font(findfont({FONT}))
                if last.get_char_index(uniindex) != 0:
                    return last, uniindex, False
""",
)
