import type { AgentDefinition } from "../accounts/account-types.ts";
import type { Failure, Model } from "../agent/model.ts";
import { acceptsPdf } from "../agent/models/accepts-pdf.ts";
import type { openModel } from "../agent/models/open-model.ts";
import type { ReadSecret, Secrets, SecretUse } from "../agent/secret.ts";
import type { FileLimits } from "../agent/tools/files/file-limits.ts";
import { openTools, reopenTools, type ToolDependencies } from "../agent/toolbox.ts";
import { couldSurvive } from "../agent/turn/journal.ts";
import { defaultFileVersions } from "../agent/turn/files/manifest.ts";
import { runTurn } from "../agent/turn/run-turn.ts";
import type { TurnEvent, TurnOutcome, TurnPorts } from "../agent/turn/turn-types.ts";
import { steadyClock } from "../async/steady-clock.ts";
import { StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";
import type { Telemetry } from "../observability/tracing.ts";
import type { TurnTrace } from "../observability/turn-spans.ts";
import type { LiveOutput } from "../runs/read/live-output.ts";
import type { LiveText } from "../runs/read/live-text.ts";
import type { Stores } from "../runs/ports.ts";
import { storageOf } from "../runs/files/stored-bytes.ts";
import { modelAsked, type UsedEnvironment } from "../runs/turn-configuration.ts";
import type { RunState } from "../runs/run-types.ts";
import { filesOfTurn } from "../runs/files/workspace.ts";
import { defaultEnvironment, type Linux, type NoLinux } from "../sandbox/linux/linux-types.ts";
import type { ProgramOwner, SandboxPerAgent } from "../sandbox/sandbox-types.ts";
import { askedModel, modelOpener, openLater } from "./open-models.ts";
import type { AgentCall } from "./agent-call.ts";
import { endTurn } from "./end-turn.ts";
import { stoppable } from "./model-stop.ts";
import { storeFailure } from "./retry-later.ts";
import { turnInput } from "./turn-input.ts";
import { type KindOf, ordinarySurroundings } from "./turn-kind.ts";
import { findSettings, referencingWriter, plainWriter, releaseWriter } from "./turn-settings.ts";

export interface AgentDeps
  extends
    Pick<Stores, "accounts" | "runs" | "workspace" | "configurations">,
    Pick<Secrets, "secretOf">,
    Omit<ToolDependencies, "readSecret" | "sandbox" | "readDocument" | "takePages" | "acceptsPdf" | "linux">,
    SandboxPerAgent {
  now: () => number;
  /** Absent: all turns are ordinary. */
  kindOf?: KindOf;
  /** Absent: no traces. */
  telemetry?: Telemetry | undefined;
  /** Absent: nobody can watch what programs print. */
  live?: LiveOutput;
  /** Absent: nobody can watch what models write. */
  texts?: Pick<LiveText, "open">;
  /** The release of this service. Entries of turns name it. Absent: they do not. */
  release?: string;
  /** Number of old contents that are kept of each file name. Default: 20. */
  fileVersions?: number;
  /** What the workspace of a run may have. Default of each: that of `defaultFileLimits`. */
  fileLimits?: Partial<FileLimits>;
  /** Absent: opens the organization's model. */
  openModel?: typeof openModel;
}

/** The tools whose programs run in a Linux environment. */
const linuxTools = new Set(["run_shell", "run_python"]);

/** Opens the model and the tools of the run's current turn, and runs it. */
export async function runAgent(deps: AgentDeps, state: RunState, call: AgentCall): Promise<TurnOutcome> {
  const { run } = state;
  const { id: runId, turn } = run;
  const { signal } = call;
  const { live, texts } = deps;
  const around = (await deps.kindOf?.(run)?.open(state)) ?? ordinarySurroundings(deps, state);
  if ("failure" in around) return { kind: "failed", failure: around.failure };
  const { organizationId } = around;
  const organization = deps.accounts.findOrganization(organizationId);
  organization.catch(() => {}); // reported by the settings or by the first call of a model
  const unlessStopped = stoppable(deps, organizationId, organization);
  const found = await findSettings(deps, state, organizationId === run.organizationId ? organization : undefined);
  if ("failure" in found) return { kind: "failed", failure: found.failure };
  const { agent, mcpToolPolicy, offered } = found;
  const { agentId } = run;
  const readSecretFor =
    (purpose: SecretUse["purpose"]): ReadSecret =>
    (secret, url) =>
      deps.secretOf(secret, { organizationId, purpose, url });
  const open = modelOpener(deps, readSecretFor("model"));
  const first = modelAsked(found, false);
  const second = agent.fallback ? modelAsked(found, true) : undefined;
  const opened = await open(first);
  if ("failure" in opened && !(second && couldSurvive(opened.failure)))
    return { kind: opened.failure.retryable ? "retry" : "failed", failure: opened.failure };
  const owner = { organizationId, agentId };
  const sandbox = deps.sandboxOf && { sandbox: deps.sandboxOf(owner) };
  const documents = deps.readDocumentOf && { readDocument: deps.readDocumentOf(owner) };
  const pages = deps.takePagesOf && { takePages: deps.takePagesOf(owner) };
  const linux = await linuxOf(deps, { id: runId, ...owner }, agent);
  const { addresses, mcpAddresses, defaultProgramSeconds } = deps;
  // Named one by one: copies of all ports took a twentieth of a short turn.
  const dependencies: ToolDependencies = {
    ...(addresses && { addresses }),
    ...(mcpAddresses && { mcpAddresses }),
    ...(defaultProgramSeconds !== undefined && { defaultProgramSeconds }),
    ...sandbox,
    ...documents,
    ...pages,
    acceptsPdf: [first, ...(second ? [second] : [])].every(acceptsPdf),
    ...(linux && { linux }),
    readSecret: readSecretFor("header"),
  };
  const choice = mcpToolPolicy ? { ...agent, mcpToolPolicy } : agent;
  await using toolbox = await (offered
    ? reopenTools(choice, offered, dependencies)
    : openTools(choice, dependencies, signal, around.known));
  const tools = await around.toolsOf(toolbox.tools);
  for (const problem of toolbox.problems) log("error", problem, { runId, turn });
  const version = found.agentVersion;
  const traced = { runId, turn, agent: { id: agentId, name: agent.name, ...(version !== undefined && { version }) } };
  const named = "failure" in opened ? {} : { modelName: opened.name, provider: opened.provider };
  const asked = { ...askedModel(first), ...named };
  const trace = deps.telemetry?.begin({
    ...traced,
    ...(run.labels && { labels: run.labels }),
    provider: asked.provider,
    model: asked.modelName,
    ...(first.provider && "baseUrl" in first.provider && { baseUrl: first.provider.baseUrl }),
  });
  const entryWriter = offered
    ? plainWriter(call.record)
    : referencingWriter(deps, { ...found, ...usedEnvironment(linux) }, toolbox.tools, agentId, call.record);
  const writer = deps.release === undefined ? entryWriter : releaseWriter(entryWriter, deps.release);
  const { fileVersions: keep = defaultFileVersions, fileLimits: limits } = deps;
  const storage = storageOf(deps, owner);
  const files = filesOfTurn(deps.workspace, state, { keep, limits, storage, signal });
  const keyed = (model: Model): Model => unlessStopped((request) => model({ ...request, cacheKey: runId }));
  const checkResult = around.checkResult ?? deps.checkResultOf?.(owner);
  const turnPorts: TurnPorts = {
    owner,
    results: around.results,
    ...(checkResult && { checkResult }),
    model: keyed("failure" in opened ? openLater(() => open(first)) : opened.model),
    ...(second && { fallback: keyed(openLater(() => open(second))) }),
    tools,
    files,
    now: steadyClock(deps.now),
    date: deps.now,
    signal,
    record: (entry) => writer.record({ turn, ...entry }),
    ...(texts && { showText: (step) => texts.open(runId, { turn, step }, agent.recordReasoning !== false) }),
    ...(live && { showOutput: (place) => live.open(runId, place) }),
    ...(trace && { observe: trace.observe }),
    emit(event: TurnEvent) {
      log("info", event.type, { runId, turn, ...event });
      trace?.emit(event);
    },
  };
  const models = { asked, fallback: second && askedModel(second) };
  const input = turnInput(state, agent, { ...models, offered: offered ?? toolbox.tools }, call);
  const running = around.endOf(runTurn(input, turnPorts));
  // Awaited here: the return closes the connections of the toolbox.
  return await endTurn(trace ? endTrace(trace, running) : running, { writer, files });
}

/** The Linux of an agent with a tool that needs it. Absent: no tool does, or the platform has none. */
function linuxOf(
  deps: SandboxPerAgent,
  run: ProgramOwner & { id: string },
  { tools, environment = defaultEnvironment }: AgentDefinition,
): Promise<Linux | NoLinux> | undefined {
  return tools.some((tool) => linuxTools.has(tool)) ? deps.linuxOf?.(run, environment) : undefined;
}

function usedEnvironment(linux: Linux | NoLinux | undefined): { environment?: UsedEnvironment } {
  if (!linux || "unavailable" in linux) return {};
  const { engine, facts } = linux;
  return { environment: { name: facts.name, digest: facts.digest, engine } };
}

async function endTrace(trace: TurnTrace, running: Promise<TurnOutcome>): Promise<TurnOutcome> {
  try {
    const outcome = await running;
    trace.end("failure" in outcome ? outcome.failure : undefined);
    return outcome;
  } catch (error) {
    trace.end(error instanceof StoreUnavailable ? storeFailure(error) : unexpectedError);
    throw error;
  }
}

const unexpectedError: Failure = {
  category: "internal",
  title: "The turn stopped with an unexpected error.",
  remedy: "Search the log for the run id.",
  retryable: false,
};
