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
  /** The model of the configuration, which an agent without a model uses. */
  configuredModel: string | undefined;
  /** Names of the organization's further model configurations. */
  configurations: string[];
}
