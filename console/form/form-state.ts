import type { Change } from "./changes.ts";
import type { Draft, Json, Path } from "./json.ts";
import type { FieldMessages } from "./messages.ts";

/** What every input of the form works on. */
export interface FormState {
  /** The definition that is stored. Empty for a new agent. */
  stored: Draft;
  draft: Draft;
  /** By path: `limits.steps`. */
  changes: Map<string, Change>;
  messages: FieldMessages;
  /** Undefined removes the value. */
  set: (path: Path, value: Json | undefined) => void;
  /** Why nothing can be changed. Undefined: it can. */
  readOnly: string | undefined;
  /** What an empty text field means. Undefined: its help says it. */
  placeholder?: (path: Path) => string | undefined;
  /** Path of the text that has the focus first. Undefined: the browser decides. */
  focused?: string;
  /** Names that a field suggests, or that have a row without a rule. */
  known?: (path: Path) => string[];
  /** What to know of an entry's map. Undefined: nothing. */
  warning?: (entry: Path) => string | undefined;
}
