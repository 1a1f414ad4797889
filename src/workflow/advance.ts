import { randomUUID } from "node:crypto";
import { subtractUsage, noUsage, addUsage } from "../agent/turn/limits.ts";
import type { Failure, Message } from "../agent/model.ts";
import { openModel } from "../agent/models/index.ts";
import type { Sandbox } from "../sandbox/types.ts";
import { summaryMessage, usageOfEntry } from "../agent/turn/journal.ts";
import { openTools, type ToolDependencies } from "../agent/tools/index.ts";
import { runTurn } from "../agent/turn/run-turn.ts";
import type { TurnEvent, TurnOutcome } from "../agent/turn/types.ts";
import { pause } from "../async/backoff.ts";
import { log } from "../log.ts";
import { StoreUnavailable } from "../errors.ts";
import { filesOf } from "../runs/uploads.ts";
import { claimRun, keepLease } from "../runs/leases.ts";
import { turnStartedAt } from "../runs/status.ts";
import type { Lease, RunState, RunJournalEntry } from "../runs/types.ts";
import type { Stores } from "../runs/ports.ts";
import { failTurn, finishTurn, journalWriter, type ClaimedTurn } from "../runs/turn-writes.ts";
import type { AdvanceResult, TurnPayload } from "./payload.ts";
import { leaseWaitSeconds, patienceSeconds, retryPolicy } from "./policy.ts";
import type { Telemetry, TurnTrace } from "../observability/tracing.ts";

export interface AdvanceDeps extends Stores, ToolDependencies {
  now: () => number;
  /** In place of `sandbox`, where each agent's programs run apart from all others'. */
  sandboxOf?: (agentId: string) => Sandbox;
  /** Where spans go, if anywhere. */
  telemetry?: Telemetry | undefined;
  /** How a model is opened; absent: by its provider. */
  openModel?: typeof openModel;
}

/** How long one invocation may work. `deadline`: milliseconds since 1970 from which on no further step is begun. */
export interface InvocationBudget {
  signal: AbortSignal;
  deadline: number;
  /** Seconds to wait for another worker's lease; absent: until a killed one's has ended. */
  leaseWait?: number;
}

/**
 * The one error that the workflow waits on and calls `advance` again. `after`: milliseconds the provider asked for.
 * `progress`: steps were recorded before it, so that the attempt was not in vain.
 */
export class RetryLater extends Error {
  readonly after: number | undefined;
  progress = false;

  constructor(failure: Failure, after: number | undefined, options?: ErrorOptions) {
    super(`${failure.category}: ${failure.title}`, options); // read again in fail.ts
    this.name = retryPolicy.errorName;
    this.after = after;
  }
}

/**
 * Works on a run's turn, or a later one that followed it from the queue, step after step, until it is done or the
 * allowance is used up, recording each step before the next. Safe to repeat and to run twice: what is recorded is not
 * done again, and of two workers one has the lease. Rejects with `RetryLater` for what may pass; whoever made
 * progress before that answers "not done", so that only attempts in vain are counted.
 */
export async function advance(
  deps: AdvanceDeps,
  turn: TurnPayload,
  allowance: InvocationBudget,
): Promise<AdvanceResult> {
  try {
    const { state, lease } = await claimOrWait(deps, turn, allowance);
    if (state?.run.status !== "running" || state.run.turn < turn.turn) return { done: true, turn: turn.turn };
    if (!lease) return { done: false, turn: state.run.turn };
    return await workUnderLease(deps, state, lease, allowance);
  } catch (error) {
    throw retryable(error);
  }
}

/** The run's state with the lease on it; a lease that another worker holds is waited for, within bounds. */
async function claimOrWait(deps: AdvanceDeps, { runId, turn }: TurnPayload, allowance: InvocationBudget) {
  const { signal, leaseWait = leaseWaitSeconds } = allowance;
  const owner = randomUUID();
  for (let waited = 0; ; waited++) {
    const found = await claimRun(deps, runId, owner);
    const running = found.state?.run.status === "running" && found.state.run.turn >= turn;
    if (found.lease || !running || waited >= leaseWait || signal.aborted) return found;
    await pause(1_000);
  }
}

async function workUnderLease(
  deps: AdvanceDeps,
  state: RunState,
  lease: Lease,
  allowance: InvocationBudget,
): Promise<AdvanceResult> {
  const { id: runId, turn } = state.run;
  const claimed: ClaimedTurn = { runId, turn, fencingToken: lease.fencingToken, startedAt: turnStartedAt(state.run) };
  const kept = keepLease(deps, lease, allowance.signal);
  const record = journalWriter(deps, claimed);
  let progress = false;
  let ended = false;

  async function settle(outcome: TurnOutcome): Promise<AdvanceResult> {
    switch (outcome.kind) {
      case "done": {
        const finished = await finishTurn(deps, claimed, { ...outcome, queue: state.queue });
        // Lost to a stop or to another worker: the next call reads where the run stands.
        if (finished === "lost") return { done: false, turn };
        ended = true;
        log("info", "turn finished", { runId, turn, finishReason: outcome.finishReason });
        return finished === "finished" ? { done: true, turn } : { done: false, turn: finished.next };
      }
      case "failed":
        ended = await failTurn(deps, claimed, outcome.failure, outcome.last);
        log("error", "turn failed", { runId, turn, failure: outcome.failure });
        return { done: ended, turn };
      case "retry":
        throw new RetryLater(outcome.failure, outcome.retryAfterMs);
      case "paused":
      case "stopped":
        return { done: false, turn };
    }
  }

  try {
    const outcome = await runAgent(deps, state, {
      deadline: allowance.deadline,
      signal: kept.signal,
      async record(step) {
        const recorded = await record(step);
        progress ||= recorded;
        return recorded;
      },
    });
    return await settle(outcome);
  } catch (error) {
    const later = retryable(error);
    if (progress && later instanceof RetryLater) {
      if (later.after === undefined) return { done: false, turn };
      later.progress = true;
    }
    throw later;
  } finally {
    kept.end();
    // The write that ends a turn ends the lease. One that can't be released now ends by itself.
    if (!ended) await deps.runs.release(lease).catch(() => {});
  }
}

async function runAgent(
  deps: AdvanceDeps,
  state: RunState,
  { signal, deadline, record }: InvocationBudget & { record: (step: RunJournalEntry) => Promise<boolean> },
): Promise<TurnOutcome> {
  const { run, steps } = state;
  const { id: runId, turn } = run;
  const [agent, organization] = await Promise.all([
    deps.accounts.findAgent(run.agentId),
    deps.accounts.findOrganization(run.organizationId),
  ]);
  if (!agent) return { kind: "failed", failure: agentGone };
  const opened = await (deps.openModel ?? openModel)(organization?.model, agent.model, deps.secretOf);
  if ("failure" in opened) return { kind: opened.failure.retryable ? "retry" : "failed", failure: opened.failure };
  const { instructions, limits, runLimits, prices, parameters, contextTokens } = agent;
  const usedHere = steps.reduce((sum, step) => addUsage(sum, usageOfEntry(step) ?? noUsage), noUsage);
  const edges = deps.sandboxOf ? { ...deps, sandbox: deps.sandboxOf(agent.id) } : deps;
  await using toolbox = await openTools(agent, edges, signal);
  for (const problem of toolbox.problems) log("error", problem, { runId, turn });
  const trace = deps.telemetry?.begin({ runId, turn, agent, provider: opened.provider, model: opened.name });
  const running = runTurn(
    {
      turn,
      modelName: opened.name,
      instructions,
      limits,
      ...(runLimits && { runLimits }),
      ...(prices && { prices }),
      ...(parameters && { parameters }),
      ...(contextTokens !== undefined && { contextTokens }),
      history: conversation(state),
      journal: steps,
      usedBefore: subtractUsage(run.used ?? noUsage, usedHere),
      startedAt: turnStartedAt(run),
      deadline,
      maxRetryWaitMs: patienceSeconds * 1_000,
    },
    {
      model: opened.model,
      tools: toolbox.tools,
      files: filesOf(deps.workspace, runId, signal),
      now: deps.now,
      signal,
      record: (step) => record({ turn, ...step }),
      emit(event: TurnEvent) {
        log("info", event.type, { runId, turn, ...event });
        trace?.emit(event);
      },
    },
  );
  return await (trace ? withTrace(running, trace) : running);
}

async function withTrace(running: Promise<TurnOutcome>, trace: TurnTrace): Promise<TurnOutcome> {
  try {
    const outcome = await running;
    trace.end("failure" in outcome ? outcome.failure : undefined);
    return outcome;
  } catch (error) {
    trace.end(error instanceof StoreUnavailable ? unavailable(error) : broken);
    throw error;
  }
}

/** Earlier turns and this turn's input; of those that a summary covers, the summary. */
function conversation({ transcript, summary }: RunState): Message[] {
  if (!summary) return transcript.map(toMessage);
  let inputs = 0;
  const later = transcript.filter(({ role }) => (role === "input_to_agent" ? ++inputs : inputs) > summary.throughTurn);
  return [summaryMessage(summary.text), ...later.map(toMessage)];
}

function toMessage({ role, text }: RunState["transcript"][number]): Message {
  return role === "input_to_agent" ? { role: "user", text } : { role: "assistant", answer: { text, toolCalls: [] } };
}

function retryable(error: unknown): unknown {
  return error instanceof StoreUnavailable ? new RetryLater(unavailable(error), undefined, { cause: error }) : error;
}

function unavailable({ message }: StoreUnavailable): Failure {
  return {
    category: "internal",
    title: `A part of the service is unavailable: ${message}.`,
    remedy: "The turn goes on by itself when it answers again.",
    retryable: true,
  };
}

const broken: Failure = {
  category: "internal",
  title: "The turn could not be continued.",
  remedy: "Look for the run's id in the log.",
  retryable: false,
};

const agentGone: Failure = {
  category: "internal",
  title: "The run's agent is gone.",
  remedy: "Create a new run of an agent that exists.",
  retryable: false,
};
