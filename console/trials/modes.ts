import type { Trial } from "./trial-calls.ts";

export type Mode = Trial["mode"];

/** Each mode with one sentence. */
export const modes: Record<Mode, { name: string; help: string }> = {
  rerun: {
    name: "Take each turn anew",
    help: "The model is called, and tools on files run on a private copy of the files as they were: what would the agent have done?",
  },
  next_step: {
    name: "Answer each recorded step",
    help: "The model is called once for each recorded step, and nothing is executed: would it have called the same tools with the same arguments?",
  },
  replay: {
    name: "Replay what is recorded",
    help: "This release takes each turn anew with its recorded answers and results, without the draft and at no cost: does it still send the same requests?",
  },
};
