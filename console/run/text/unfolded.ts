import type { Step } from "../model/run-model-types.ts";
import { formatPlace } from "../selection.ts";

/** Whose reasoning is unfolded: that of all steps but some, or of some. */
export interface Unfolded {
  all: boolean;
  /** Steps as in the URL. */
  except: ReadonlySet<string>;
}

export const noneUnfolded: Unfolded = { all: false, except: new Set() };

/** Whether the reasoning of a step is shown. `find`: the text that the reader looks for. */
export function isUnfolded({ all, except }: Unfolded, step: Step, find: string): boolean {
  const found = find !== "" && (step.reasoning?.text.toLowerCase().includes(find.toLowerCase()) ?? false);
  return all !== except.has(formatPlace(step)) || found;
}

/** After the reader has opened or closed the reasoning of one step. */
export function toggled({ all, except }: Unfolded, step: Step, open: boolean): Unfolded {
  const changed = new Set(except);
  changed[open === all ? "delete" : "add"](formatPlace(step));
  return { all, except: changed };
}
