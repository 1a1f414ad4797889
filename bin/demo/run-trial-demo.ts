import { setTimeout as sleep } from "node:timers/promises";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { CliError } from "../cli.ts";
import { requestJson } from "../request-json.ts";
import { startModelServer } from "./model-server.ts";
import { type DemoService, startService } from "./service.ts";
import { clerk, draft, orderModel, recordedOrders } from "./trial-script.ts";

const pollMilliseconds = 50;
const maxSeconds = 120;

/** What a trial found. Cases by the names of their runs. */
export interface FoundChanges {
  trial: Schemas["Trial"];
  same: string[];
  different: string[];
  /** Those that end the same with fewer steps. */
  cheaper: string[];
}

export interface TrialDemoResult {
  recorded: number;
  /** With a model that answers the same each time. */
  steady: FoundChanges;
  /** The same trial with a model that chooses its words anew. */
  varying: FoundChanges;
  service: DemoService;
}

type Call = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/**
 * Records ten runs of an agent, tries a draft on them, and tries it again with a model that varies. `keep` receives what has to be
 * ended, in any case. `onPart` is told what begins.
 */
export async function runTrialDemo(
  { dataDir, callMilliseconds }: { dataDir: string; callMilliseconds: number },
  onPart: (part: string) => void,
  keep: (end: () => Promise<void>) => void,
): Promise<TrialDemoResult> {
  const script = orderModel();
  const model = await startModelServer({ delay: callMilliseconds, answer: (messages) => script.answer(messages) });
  keep(async () => model.close());
  const service = await startService({ dataDir, modelUrl: model.baseUrl, port: 0 }, keep);
  const token = new URL(service.consoleUrl).hash.slice(1);
  const call: Call = (method, path, body) =>
    requestJson(`${service.baseUrl}/manage/v1${path}`, { method, token, ...(body && { body }) });
  const agentId = await createClerk(call, service);
  onPart(`${recordedOrders.length} runs of the agent ${clerk.name} are recorded`);
  const names = await recordOrders(call, agentId);
  onPart("a draft is tried on them");
  const steady = await tryDraft(call, agentId, names);
  script.varies = true;
  onPart("the same, with a model that chooses its words anew each time");
  const varying = await tryDraft(call, agentId, names);
  return { recorded: names.size, steady, varying, service };
}

async function createClerk(call: Call, { templateId }: DemoService): Promise<string> {
  const { organization_id } = await call<Schemas["Agent"]>("GET", `/agents/${templateId}`);
  const { id } = await call<Schemas["Agent"]>("POST", "/agents", { organization_id, definition: clerk });
  return id;
}

/** Resolves with the names of the runs by id. */
async function recordOrders(call: Call, agentId: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { name, input, file, content } of recordedOrders) {
    const files = [{ filename: file, content_base64: Buffer.from(content).toString("base64") }];
    const body = { agent_id: agentId, name, input_text: input, files };
    const { id } = await call<Schemas["CreatedRun"]>("POST", "/runs", body);
    await finished(() => call<Schemas["RunDetail"]>("GET", `/runs/${id}`));
    names.set(id, name);
  }
  return names;
}

async function tryDraft(call: Call, agentId: string, names: Map<string, string>): Promise<FoundChanges> {
  const request = { definition: draft, last: names.size, control: names.size, budget: { dollars: 1 } };
  const { id } = await call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, request);
  await call("POST", `/trials/${id}/start`);
  const trial = await finished(() => call<Schemas["Trial"]>("GET", `/trials/${id}`));
  const { data } = await call<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
  const named = (wanted: (one: Schemas["TrialCase"]) => boolean): string[] =>
    data
      .filter(wanted)
      .map(({ run_id }) => names.get(run_id) ?? run_id)
      .toSorted((a, b) => (a < b ? -1 : 1));
  return {
    trial,
    same: named(({ verdict }) => verdict === "same"),
    different: named(({ verdict }) => verdict === "different"),
    cheaper: named(
      ({ verdict, recorded, candidate }) => verdict === "same" && (candidate?.used?.steps ?? Infinity) < recorded.steps,
    ),
  };
}

async function finished<Of extends { status: string }>(read: () => Promise<Of>): Promise<Of> {
  const deadline = performance.now() + maxSeconds * 1_000;
  for (;;) {
    const found = await read();
    if (found.status === "finished") return found;
    if (found.status === "technical_error" || performance.now() > deadline) {
      throw new CliError(`the demo ended with the status ${found.status} after at most ${maxSeconds} s`);
    }
    await sleep(pollMilliseconds);
  }
}
