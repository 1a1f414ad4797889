import type { RunState } from "../api/types.ts";
import { Icon, type IconName } from "./icon.tsx";

/** How the states of runs are shown: word and icon. */
export const runStates: Record<RunState, { word: string; icon: IconName }> = {
  running: { word: "Running", icon: "running" },
  waiting: { word: "Waiting for an answer", icon: "ask" },
  waiting_for_slot: { word: "Waiting to start", icon: "wait" },
  finished: { word: "Finished", icon: "finished" },
  waiting_for_input: { word: "Waiting for input", icon: "idle" },
  technical_error: { word: "Technical error", icon: "warning" },
  terminated: { word: "Terminated", icon: "terminated" },
};

/** The state of a run: shape, word and colour. `wire`: the status in the API, for the tooltip. */
export function Status({ state, wire }: { state: RunState; wire?: string }) {
  const { word, icon } = runStates[state];
  return (
    <span class={`status ${state}`} title={wire}>
      <Icon name={icon} class={state === "running" ? "spin" : ""} />
      {word}
    </span>
  );
}
