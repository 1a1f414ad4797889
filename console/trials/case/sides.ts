/** What the two turns of a comparison are called, the left one first. */
export interface Sides {
  /** Above the columns. */
  heads: [left: string, right: string];
  /** In sentences. */
  turns: [left: string, right: string];
}

/** Those of a case. */
export const triedSides: Sides = { heads: ["Recorded", "Tried"], turns: ["recorded turn", "tried turn"] };

/** Those of any two turns. */
export const plainSides: Sides = { heads: ["Left", "Right"], turns: ["left turn", "right turn"] };
