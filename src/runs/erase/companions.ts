import type { Companions, DeleteDeps } from "../control/control-run.ts";

const none = async (): Promise<void> => {};

/** Of a run that nothing else can know. */
export const noCompanions: Companions = { eraseCopies: none, eraseCases: none, deleteTrials: none };

/** What a deletion needs to leave the copies of turns that were kept. */
export function keepingCopies<Deps extends Pick<DeleteDeps, "companions">>(deps: Deps): Deps {
  return { ...deps, companions: { ...deps.companions, eraseCopies: none } };
}
