import { type NamedStarter, nameStarter, type Starter } from "../../accounts/starter.ts";
import type { Agent, AgentDefinition } from "../../accounts/account-types.ts";
import type { CheckedResult, FinishReason } from "../../agent/turn/journal.ts";
import { noUsage, type RunLimits, type TurnLimits, type Usage } from "../../agent/turn/turn-limits.ts";
import { type Semaphore, semaphore } from "../../async/semaphore.ts";
import { boundedCache } from "../bounded-cache.ts";
import { withLowerLimits } from "../begin/chosen-settings.ts";
import type { Uses, Runs } from "../ports.ts";
import { type AskedCall, openCalls } from "./open-calls.ts";
import { type RunActivity, activityChange, activityOf, type RunProgress } from "./run-progress.ts";
import { type ShownState, turnStartedAt } from "../status.ts";
import { progressTracker } from "../track-progress.ts";
import { decodeConfiguration, type UsedEnvironment } from "../turn-configuration.ts";
import type { Run } from "../run-types.ts";

/** A run as lists show it. */
export interface DescribedRun {
  run: Run;
  state: ShownState;
  /** Absent: the agent is missing from the store. */
  agent?: Agent;
  /** The first `excerptLength` characters of the first input. Absent: there is none. */
  inputExcerpt?: string;
  /** Of the last turn of a finished run. Absent: there is none, or an earlier release recorded it. */
  finishReason?: FinishReason;
  /** How the output of the last turn fits its schema. Absent: a turn is in progress, or the last one had no schema or no output. */
  checked?: CheckedResult;
  activity?: RunActivity;
  /** Who created it. Absent: an earlier release did. */
  startedBy?: NamedStarter;
}

/** A run with what its current turn runs on and has used. Times are milliseconds since 1970. */
export interface RunDetail extends DescribedRun {
  /** Limits of the current turn. Absent: unknown. */
  limits?: TurnLimits;
  runLimits?: RunLimits;
  agentVersion?: number;
  /** In which the current turn's programs run. Absent: it has none, it has no answer yet, or it is not recorded. */
  environment?: UsedEnvironment;
  /** `milliseconds`: 0 while the turn is in progress, and if its start is unknown. */
  turnUsage: Usage;
  /** Tool calls that wait for answers. */
  openCalls: AskedCall[];
  turnStartedAt?: number;
  /** How long the detail holds while the run and the names that it shows are the same. */
  holds: {
    /** When its activity changes with time. Absent: never. */
    changesAt?: number;
    /** True: it shows the limits of the agent's current definition, or events that were not read. */
    isUntagged?: boolean;
  };
}

/** Describes runs. Keeps what it read in memory, so that polling lists and runs costs little. */
export interface RunDescriber {
  /** `agent`: of the run. */
  describe(run: Run, agent?: Agent): Promise<DescribedRun>;
  detail(run: Run): Promise<RunDetail>;
  excerptOf(run: Run): Promise<string | undefined>;
  /** Who did something, with the name. */
  named(starter: Starter): Promise<NamedStarter>;
  /** The activity that a detail shows now: it changes with time, too. */
  activityOf(run: Run, now: number): RunActivity | undefined;
}

export const excerptLength = 200;

/** Excerpts and limits that are kept in memory: about 4 MB. */
const [maxExcerpts, maxLimits, maxStarters] = [10_000, 500, 1_000];
/** Reads of the store at a time. */
const maxReads = 50;

export function runDescriber(deps: Uses<"accounts" | "runs" | "configurations" | "now">): RunDescriber {
  const inTurn = semaphore(maxReads);
  const tracker = progressTracker(deps);
  const excerptOf = excerptReader(deps, inTurn);
  const limitsOf = limitsReader(deps);
  const named = starterReader(deps, inTurn);
  const starterOf = async ({ startedBy }: Run) => startedBy && named(startedBy);
  const shown = boundedCache<RunProgress>(maxExcerpts);

  return {
    async describe(run, agent) {
      const hasFailed = run.status === "technical_error" || run.status === "terminated";
      const progress = hasFailed ? undefined : inTurn(() => tracker.progressOf(run));
      const [excerpt, startedBy] = await Promise.all([excerptOf(run), starterOf(run)]);
      return described(run, { agent, excerpt, progress: await progress, startedBy }, deps.now());
    },

    async detail(run) {
      const [agent, excerpt, turn, startedBy, calls] = await Promise.all([
        deps.accounts.findAgent(run.agentId),
        excerptOf(run),
        tracker.turnOf(run),
        starterOf(run),
        openCallsOf(deps.runs, run),
      ]);
      if (turn) shown.set(run.id, turn);
      const runsOn = withLowerLimits(await limitsOf(run, agent, turn), run.chosen);
      const startedAt = startOfTurn(run, turn);
      const shownRun = described(run, { agent, excerpt, progress: turn, startedBy }, deps.now());
      const isFixed = runsOn.limits && turn && turn.sequence >= run.sequence && (turn.runsOn ?? turn.agentVersion);
      const changesAt = activityChange(shownRun.activity);
      return {
        ...shownRun,
        ...runsOn,
        openCalls: calls,
        turnUsage: usageOfTurn(run, turn, startedAt),
        ...(startedAt !== undefined && { turnStartedAt: startedAt }),
        holds: isFixed ? { ...(changesAt !== undefined && { changesAt }) } : { isUntagged: true },
      };
    },

    excerptOf,

    named,

    activityOf: (run, now) => activityOf(run, shown.get(run.id), now),
  };
}

function described(run: Run, { agent, excerpt, progress, startedBy }: DescriptionParts, now: number): DescribedRun {
  const activity = activityOf(run, progress, now);
  const finishReason = run.status === "finished" ? progress?.finishReason : undefined;
  return {
    run,
    state: runStateOf(run),
    ...(agent && { agent }),
    ...(excerpt !== undefined && { inputExcerpt: excerpt }),
    ...(finishReason && { finishReason }),
    ...(hasOutput(run) && progress?.checked && { checked: progress.checked }),
    ...(activity && { activity }),
    ...(startedBy && { startedBy }),
  };
}

/** Whether the last turn may have an output. The run can have been stopped since. */
function hasOutput({ status }: Run): boolean {
  return status === "finished" || status === "terminated";
}

/** What a description adds to a run. */
interface DescriptionParts {
  agent: Agent | undefined;
  excerpt: string | undefined;
  progress: RunProgress | undefined;
  startedBy: NamedStarter | undefined;
}

/** Reads the name of who did something once: it never changes. */
function starterReader({ accounts }: Uses<"accounts">, inTurn: Semaphore) {
  const names = boundedCache<NamedStarter>(maxStarters);
  return async (starter: Starter): Promise<NamedStarter> => {
    const place = `${starter.kind} ${starter.id}`;
    const kept = names.get(place);
    if (kept) return kept;
    const named = await inTurn(() => nameStarter(accounts, starter));
    names.set(place, named);
    return named;
  };
}

/** The calls of a run that wait for answers. Reads its turn if there are some. */
export async function openCallsOf(runs: Pick<Runs, "loadTurn">, run: Run): Promise<AskedCall[]> {
  const state = run.askedUntil === undefined ? undefined : await runs.loadTurn(run.id);
  return state ? openCalls(state) : [];
}

export function runStateOf({ status, turn, waiting, askedUntil }: Run): ShownState {
  if (askedUntil !== undefined) return "waiting";
  if (status === "running" && waiting) return "waiting_for_slot";
  return status === "finished" && turn === 0 ? "waiting_for_input" : status;
}

function startOfTurn(run: Run, turn: RunProgress | undefined): number | undefined {
  if (run.status !== "running") return turn?.startedAt;
  return run.waiting || run.askedUntil !== undefined ? undefined : turnStartedAt(run);
}

function usageOfTurn(
  { status, updatedAt }: Run,
  { used = noUsage, waited = 0 }: Partial<RunProgress> = {},
  startedAt: number | undefined,
): Usage {
  if (status === "running" || startedAt === undefined) return used;
  return { ...used, milliseconds: Math.max(0, updatedAt - startedAt - waited) };
}

/** Reads the beginning of the first input, which never changes, once. */
function excerptReader({ runs }: Uses<"runs">, inTurn: Semaphore): RunDescriber["excerptOf"] {
  const excerpts = boundedCache<string>(maxExcerpts);
  return async (run) => {
    if (run.turn === 0) return undefined;
    // A deleted run counts no events, as one that an earlier release terminated.
    const mayBeDeleted = run.status === "terminated" && run.sequence === 0;
    const kept = mayBeDeleted ? undefined : excerpts.get(run.id);
    if (kept !== undefined) return kept;
    const excerpt = await inTurn(() => runs.firstInput(run.id, excerptLength));
    if (mayBeDeleted) excerpts.delete(run.id);
    else if (excerpt !== undefined) excerpts.set(run.id, excerpt);
    return excerpt;
  };
}

type TurnLimitsOf = Pick<RunDetail, "limits" | "runLimits" | "agentVersion" | "environment">;

/**
 * Returns a function that reads the limits of a turn and its environment: from its configuration, or before its first answer from the version
 * of the agent that it began with. A run without a turn has the limits of the agent's current definition.
 */
function limitsReader({ accounts, configurations }: Uses<"accounts" | "configurations">) {
  const kept = boundedCache<TurnLimitsOf>(maxLimits);

  async function readOnce(key: string, read: () => Promise<TurnLimitsOf | undefined>): Promise<TurnLimitsOf> {
    const found = kept.get(key) ?? (await read());
    if (found) kept.set(key, found);
    return found ?? {};
  }

  return async (run: Run, agent: Agent | undefined, turn: RunProgress | undefined): Promise<TurnLimitsOf> => {
    const { agentId } = run;
    if (turn?.runsOn) {
      const { configuration, agentVersion } = turn.runsOn;
      const limits = await readOnce(`${agentId} ${configuration}`, async () => {
        const text = await configurations.get(agentId, configuration);
        if (text === undefined) return undefined;
        const { agent: definition, environment } = decodeConfiguration(text);
        return { ...limitsIn(definition), ...(environment && { environment }) };
      });
      return { ...limits, ...(agentVersion !== undefined && { agentVersion }) };
    }
    const version = turn?.agentVersion;
    if (version !== undefined && version !== agent?.version) {
      const limits = await readOnce(`${agentId} ${version}`, async () => {
        const found = await accounts.findAgentVersion(agentId, version);
        return found && limitsIn(found.definition);
      });
      return { ...limits, agentVersion: version };
    }
    return agent ? { ...limitsIn(agent), ...(agent.version !== undefined && { agentVersion: agent.version }) } : {};
  };
}

function limitsIn({ limits, runLimits }: AgentDefinition): TurnLimitsOf {
  return { limits, ...(runLimits && { runLimits }) };
}
