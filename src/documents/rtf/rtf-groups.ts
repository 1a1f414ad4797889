import type { CharacterFormat } from "../text-format.ts";

/** Groups whose content is not text. */
export const ignoredGroups = new Set(
  "fonttbl colortbl stylesheet info pict objdata themedata listtable listoverridetable revtbl datastore xe tc nonesttables".split(
    " ",
  ),
);

/** A group in braces, and what it inherits from the one around it. */
export interface Group {
  isIgnored: boolean;
  /** The same content as before, for other software. */
  isSecond: boolean;
  /** In the table of fonts, `\f` begins the description of a font. */
  isFontTable: boolean;
  /** What ends the group: a header or footer is a paragraph, and a note is part of one. */
  end?: () => void;
  /** The marker of a list. It has the format of a paragraph, but is part of one. */
  isMarker: boolean;
  /** The paragraph belongs to a table. */
  isInTable: boolean;
  /** A tracked change deleted the text. */
  isDeleted: boolean;
  format: CharacterFormat;
  /** Characters for software without Unicode that follow `\u`. */
  fallback: number;
  font: number | undefined;
}

/** Groups within each other. */
export const maxGroups = 10_000;

/** The state at the beginning of a document. */
export const newGroup = (): Group => ({
  isIgnored: false,
  isSecond: false,
  isFontTable: false,
  isMarker: false,
  isInTable: false,
  isDeleted: false,
  format: {},
  fallback: 1,
  font: undefined,
});

/** Groups that repeat the content before them, for other software. */
export const secondGroups = new Set(["shprslt", "nonshppict", "mmathPict", "listpicture"]);

/** What a group is that is not read. */
export const leftOut = { pict: "picture", annotation: "comment", object: "embedded object" };

/** Words that change how text is shown. */
export const formatWords: Record<string, (value: number) => CharacterFormat> = {
  v: (value) => ({ hidden: value !== 0 }),
  strike: (value) => ({ struck: value !== 0 }),
  striked: (value) => ({ struck: value !== 0 }),
  super: () => ({ position: "raised" }),
  sub: () => ({ position: "lowered" }),
  nosupersub: () => ({ position: undefined }),
  up: (value) => ({ position: value > 0 ? "raised" : undefined }),
  dn: (value) => ({ position: value > 0 ? "lowered" : undefined }),
};
