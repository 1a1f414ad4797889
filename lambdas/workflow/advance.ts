import type { Failure, Message } from "../agent/model.ts";
import type { SecretOf } from "../agent/providers/configuration.ts";
import { openModel } from "../agent/providers/index.ts";
import { toolsByName } from "../agent/tools/index.ts";
import { runTurn, type TurnEvent, type TurnOutcome } from "../agent/turn.ts";
import { log } from "../log.ts";
import { StoreUnavailable } from "../runs/errors.ts";
import type { RunState, Stores } from "../runs/ports.ts";
import { failTurn, finishTurn, recordStep } from "../runs/turns.ts";
import { type AdvanceResult, retryPolicy, type TurnPayload } from "./payload.ts";

export interface AdvanceDeps extends Stores {
  now: () => number;
  secretOf: SecretOf;
}

/** How long one invocation may work. `deadline`: milliseconds since 1970 from which on no further step is begun. */
export interface Allowance {
  signal: AbortSignal;
  deadline: number;
}

/** The one error that the workflow waits on and calls `advance` again. `after`: milliseconds the provider asked for. */
export class RetryLater extends Error {
  readonly after: number | undefined;

  constructor(failure: Failure, after: number | undefined, options?: ErrorOptions) {
    super(`${failure.title} ${failure.remedy}`, options);
    this.name = retryPolicy.errorName;
    this.after = after;
  }
}

/**
 * Works on a turn, step after step, until it is done or the allowance is used up, recording each step before the
 * next. Safe to repeat and to run twice: what is recorded is not done again, and a worker that comes late writes
 * nothing. Rejects with `RetryLater` for what waiting may mend, with a store's error for what it could not record.
 */
export async function advance(deps: AdvanceDeps, turn: TurnPayload, allowance: Allowance): Promise<AdvanceResult> {
  try {
    return await attempt(deps, turn, allowance);
  } catch (error) {
    throw error instanceof StoreUnavailable ? new RetryLater(storeUnavailable, undefined, { cause: error }) : error;
  }
}

async function attempt(deps: AdvanceDeps, turn: TurnPayload, allowance: Allowance): Promise<AdvanceResult> {
  const state = await deps.runs.load(turn.runId);
  if (state?.run.status !== "running" || state.run.turn !== turn.turn) return { done: true };

  const outcome = await work(deps, turn, state, allowance);
  switch (outcome.kind) {
    case "done":
      await finishTurn(deps, turn, outcome.text, { turn: turn.turn, ...outcome.last });
      log("info", "turn finished", { ...turn, ended: outcome.ended });
      return { done: true };
    case "failed":
      await failTurn(deps, turn, outcome.failure);
      log("error", "turn failed", { ...turn, failure: outcome.failure });
      return { done: true };
    case "retry":
      throw new RetryLater(outcome.failure, outcome.after);
    case "paused":
    case "stopped": // by the signal, or by a worker that was faster: the next call reads where the run stands
      return { done: false };
  }
}

async function work(
  deps: AdvanceDeps,
  { runId, turn }: TurnPayload,
  { run, transcript, steps }: RunState,
  { signal, deadline }: Allowance,
): Promise<TurnOutcome> {
  const [agent, organization] = await Promise.all([
    deps.accounts.findAgent(run.agentId),
    deps.accounts.findOrganization(run.organizationId),
  ]);
  if (!agent) return { kind: "failed", failure: agentGone };
  const opened = await openModel(organization?.model, agent.model, deps.secretOf);
  if ("failure" in opened) return { kind: opened.failure.retryable ? "retry" : "failed", failure: opened.failure };
  const { workspace } = deps;
  return runTurn(
    {
      instructions: agent.instructions,
      history: transcript.map(toMessage),
      recorded: steps,
      limits: agent.limits,
      startedAt: run.updatedAt, // a running run was last written when its turn's input was accepted
      deadline,
    },
    {
      model: opened.model,
      tools: agent.tools.flatMap((name) => toolsByName[name] ?? []),
      files: {
        list: () => workspace.list(runId),
        read: (name) => workspace.read(runId, name),
        write: (name, content) => workspace.write(runId, [{ name, content }]),
      },
      now: deps.now,
      signal,
      record: (step) => recordStep(deps, { runId, turn }, { turn, ...step }),
      emit: (event: TurnEvent) => log("info", event.type, { runId, turn, ...event }),
    },
  );
}

function toMessage({ role, text }: RunState["transcript"][number]): Message {
  return role === "input_to_agent" ? { role: "user", text } : { role: "assistant", answer: { text, toolCalls: [] } };
}

const storeUnavailable: Failure = {
  category: "internal",
  title: "The run's store is unavailable.",
  remedy: "The turn goes on by itself when the store answers again.",
  retryable: true,
};

const agentGone: Failure = {
  category: "internal",
  title: "The run's agent is gone.",
  remedy: "Create a new run of an agent that exists.",
  retryable: false,
};
