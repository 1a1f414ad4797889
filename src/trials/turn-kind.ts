import type { KindOf } from "../workflow/turn-kind.ts";
import type { CaseStores } from "./cases/open-case.ts";
import { trialOf } from "./trial-id.ts";

/** The turns of trials. `onEnded`: moves a trial on after one of them. */
export function trialTurns(stores: CaseStores, onEnded: (trialId: string) => Promise<unknown>): KindOf {
  return (owner) => {
    const trialId = trialOf(owner);
    if (trialId === undefined) return undefined;
    return {
      // Loaded for turns of trials only: a service that tries nothing has 2 MB less.
      open: async (state) => (await import("./cases/open-case.ts")).openCase(stores, trialId, state),
      ended: () => onEnded(trialId),
    };
  };
}
