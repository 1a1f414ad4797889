import type { FileLimits } from "../agent/tools/file-limits.ts";
import { defaultFileVersions } from "../agent/turn/manifest.ts";
import { runTurn } from "../agent/turn/run-turn.ts";
import type { TurnOutcome } from "../agent/turn/types.ts";
import type { Stores } from "../runs/ports.ts";
import { filesOfTurn } from "../runs/files/workspace.ts";
import { modelAsked } from "../runs/turn-configuration.ts";
import type { RunState } from "../runs/types.ts";
import type { SandboxPerAgent } from "../sandbox/types.ts";
import type { RecordedTurn } from "../trials/replay/open-replay.ts";
import { compareBothRuns } from "../trials/replay/recorded-model.ts";
import type { AgentCall } from "./agent-call.ts";
import { endTurn } from "./end-turn.ts";
import { leftRecord } from "./left-record.ts";
import { askedModel } from "./open-models.ts";
import { turnInput } from "./turn-input.ts";
import { plainWriter, referencingWriter, type TurnSettings } from "./turn-settings.ts";

interface ReplayDeps
  extends Pick<Stores, "accounts" | "workspace" | "configurations">, Pick<SandboxPerAgent, "checkResultOf"> {
  now: () => number;
  /** As of `AgentDeps`. */
  fileVersions?: number;
  fileLimits?: Partial<FileLimits>;
}

/**
 * Takes a recorded turn anew with its recorded answers and results: nothing is opened, called or executed. It costs nothing, so
 * nothing of it is logged as use, and recorded usage has no price.
 */
export async function replayTurn(
  deps: ReplayDeps,
  state: RunState,
  call: AgentCall,
  settings: TurnSettings,
  { model, tools, offered }: RecordedTurn,
): Promise<TurnOutcome> {
  const { run } = state;
  const { organizationId, agentId } = run;
  const { signal } = call;
  const writer = settings.offered
    ? plainWriter(call.record)
    : referencingWriter(deps, settings, offered, agentId, call.record);
  const { fileVersions: keep = defaultFileVersions, fileLimits: limits } = deps;
  const files = filesOfTurn(deps.workspace, state, { keep, limits, signal });
  const { prices: _, ...agent } = settings.agent;
  const { prices: __, ...asked } = askedModel(modelAsked(settings, false));
  const checkResult = deps.checkResultOf?.({ organizationId, agentId });
  const { deadline } = call;
  const input = turnInput(state, agent, { asked, offered }, { deadline });
  const running = runTurn(
    { ...input, startedAt: deps.now() }, // recorded answers take no time, and the wait for a place is none of the turn's
    {
      model,
      tools,
      files,
      ...(checkResult && { checkResult }),
      now: deps.now,
      date: deps.now,
      signal,
      record: (entry) => writer.record({ turn: run.turn, ...entry }),
      emit: () => {},
    },
  );
  return endTurn(leftRecord(running, compareBothRuns), { writer, files });
}
