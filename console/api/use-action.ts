import { useState } from "preact/hooks";

interface Action {
  isBusy: boolean;
  /** Why the last one failed. */
  problem: string | undefined;
  setProblem: (problem: string | undefined) => void;
  /** Does something, unless something is being done. `isLast`: its page or dialog closes when it has succeeded. */
  run: (work: () => Promise<unknown>, isLast?: boolean) => Promise<void>;
}

/** What a form or a dialog does one at a time: its progress, and the message of a failure. */
export function useAction(firstProblem?: string): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(firstProblem);
  const run = async (work: () => Promise<unknown>, isLast = false): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      if (!isLast) setBusy(false);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return { isBusy, problem, setProblem, run };
}
