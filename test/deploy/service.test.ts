import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { maxRetryWaitSeconds } from "../../src/workflow/policy.ts";
import { chatServer, rejects } from "../providers/chat-completions-server.ts";
import { npmRunDeploy, stackName } from "./cdk.ts";
import { type Agent, answer, type Deployed, keepsTheContract, openDeployed, server } from "./deployed.ts";
import { admin, callFunction } from "./service.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

/** Waits for the end of an execution, which follows the final status of the run. */
async function executionEnds(runId: string, turn: number, status: string): Promise<void> {
  await expect.poll(async () => (await deployed.execution(runId, turn)).status, { timeout: 60_000 }).toBe(status);
}

describe("an agent of the demo model", () => {
  let agent: Agent;
  let runId: string;
  beforeAll(async () => {
    agent = await deployed.newAgent("--provider", "demo");
  });

  test("passes the conformance suite at API Gateway", { timeout: 600_000 }, async () => {
    expect(await deployed.conformance(deployed.baseUrl, agent)).toEqual(keepsTheContract);
  });

  test("runs a turn with files and stores its items, objects and execution", async () => {
    const content_base64 = Buffer.from("Hello from a file.\n").toString("base64");
    runId = await agent.api.create("What is in the file?", [{ filename: "hello.txt", content_base64 }]);
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect(loop_status).toBe("finished");
    expect(transcript.map(({ role }) => role)).toEqual(["input_to_agent", "output_from_agent"]);
    expect(transcript[1]?.text).toContain("Hello from a file.");

    const items = await deployed.itemsOf(runId);
    expect(items[0]).toMatchObject({ sk: "HEAD", status: "finished", turn: 1, agentId: agent.id });
    expect(items.map(({ sk }) => String(sk).split("#")[0])).toEqual(expect.arrayContaining(["MESSAGE", "SEQUENCE"]));
    const hash = sha256Of(Buffer.from("Hello from a file.\n"));
    expect(await deployed.objectsOf(runId)).toEqual([`workspaces/${runId}/.sha256-${hash}`]);
    const file = { name: "hello.txt", size: 19, sha256: hash };
    expect(await admin("run", "show", runId, "--files", "--at", "1.0")).toMatchObject({ data: [file] });
    expect(await admin("run", "file", runId, "hello.txt")).toMatchObject({ ...file, content_base64 });
    await executionEnds(runId, 1, "SUCCEEDED");
    expect((await deployed.execution(runId, 1)).input).toBe(JSON.stringify({ runId, turn: 1 }));
  });

  test("runs a second turn on the same workspace", async () => {
    await admin("run", "input", runId, "--text", "Once more, please.");
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect([loop_status, transcript.length]).toEqual(["finished", 4]);
    expect(transcript[3]?.text).toContain("hello.txt");
    await executionEnds(runId, 2, "SUCCEEDED");
  });

  test("returns a transcript over Lambda's response limit compressed", async () => {
    const text = "All of it, please. ".repeat(400_000);
    const long = await agent.api.create(text);
    const { transcript } = await agent.api.ended(long);
    expect(transcript[0]?.text === text).toBe(true);
    const poll = await fetch(`${deployed.baseUrl}/v1/agents/${long}`, { headers: { "x-api-key": agent.key } });
    expect(poll.headers.get("content-encoding")).toBe("gzip");
  });
});

test("a flood over the quota of one organization waits, and another agent's run finishes meanwhile", async () => {
  const [flooded, other] = [
    await deployed.newAgent("--provider", "demo"),
    await deployed.newAgent("--provider", "demo"),
  ];
  await admin("org", "set-quota", flooded.org, "--max-running", "1");
  const runs = await Promise.all(Array.from({ length: 8 }, () => flooded.api.create("Work.")));
  expect((await other.api.ended(await other.api.create("Work."))).loop_status).toBe("finished");
  const owner = { agentId: flooded.id, organizationId: flooded.org };
  const use = await deployed.stores.runs.quotaUse(owner);
  expect(use.organization.running).toBeLessThanOrEqual(1);
  // The end of each run starts the next. Only a run whose start was lost waits for the sweep.
  for (const runId of runs) expect((await flooded.api.ended(runId)).loop_status).toBe("finished");
  expect(await callFunction("Sweep")).toMatchObject({ waiting: 0 });
  expect(await deployed.stores.runs.quotaUse(owner)).toMatchObject({
    agent: { running: 0, waiting: 0 },
    organization: { running: 0 },
  });
});

test("a deleted run keeps only its status", async () => {
  const { api } = await deployed.newAgent("--provider", "demo");
  const content_base64 = Buffer.from("Nothing to see.").toString("base64");
  const runId = await api.create("What is in the file?", [{ filename: "hello.txt", content_base64 }]);
  await api.ended(runId);
  expect(await admin("run", "delete", runId)).toEqual({ run_id: runId });
  expect(await api.read(runId)).toEqual({ agent_id: runId, loop_status: "terminated", transcript: [] });
  expect((await deployed.itemsOf(runId)).map(({ sk }) => sk)).toEqual(["HEAD"]);
  expect(await deployed.objectsOf(runId)).toEqual([]);
});

describe("an agent of a model server", () => {
  const seen: ServerResponse[] = [];
  let hanging: Awaited<ReturnType<typeof chatServer>>;
  let agent: Agent;
  beforeAll(async () => {
    hanging = await chatServer(
      ...Array.from({ length: 4 }, () => (response: ServerResponse) => void seen.push(response)),
    );
    agent = await deployed.newAgent(...server(hanging.baseUrl));
  });
  afterAll(() => hanging[Symbol.asyncDispose]());

  /** Creates a run and waits for its model call. */
  async function inFlight(): Promise<string> {
    const before = seen.length;
    const runId = await agent.api.create("Think for a long time.");
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(before + 1);
    return runId;
  }

  test("is stopped at once, and its execution too", async () => {
    const runId = await inFlight();
    expect(await admin("run", "stop", runId)).toMatchObject({ status: "terminated" });
    expect(await agent.api.read(runId)).toMatchObject({
      loop_status: "terminated",
      transcript: [{ role: "input_to_agent" }],
    });
    await executionEnds(runId, 1, "ABORTED");
    answer(seen.at(-1)); // too late: the run does not change
    await expect.poll(() => agent.api.read(runId)).toMatchObject({ loop_status: "terminated", transcript: [{}] });
  });

  test("ends with technical_error and the reason when its model rejects the call", async () => {
    await using refusing = await chatServer(rejects(401, "Incorrect API key provided."));
    const { api } = await deployed.newAgent(...server(refusing.baseUrl));
    const runId = await api.create("Hello?");
    expect((await api.ended(runId)).loop_status).toBe("technical_error");
    expect(JSON.stringify(await admin("run", "show", runId))).toMatch(/model_/);
    await executionEnds(runId, 1, "SUCCEEDED");
  });

  test("receives a secret of its organization, and no request when the secret is limited to other hosts", async () => {
    await using model = await chatServer((response) => answer(response));
    const { org, api } = agent;
    const settings = server(model.baseUrl);
    await deployed.createSecret(org, "any-host", "sk-of-the-team");
    await deployed.createSecret(org, "openai", JSON.stringify({ value: "sk-openai", hosts: ["api.openai.com"] }));
    await admin("org", "set-model", org, ...settings, "--secret", "secretsmanager:any-host");
    expect((await api.ended(await api.create("Hello?"))).loop_status).toBe("finished");
    await admin("org", "set-model", org, ...settings, "--secret", "secretsmanager:openai");
    const refused = await api.create("Hello?");
    expect((await api.ended(refused)).loop_status).toBe("technical_error");
    expect(JSON.stringify(await admin("run", "show", refused))).toContain("may not be sent to this host");
    expect(model.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-of-the-team"]);
    await admin("org", "set-model", org, ...server(hanging.baseUrl), "--secret", "none");
  });

  // In parallel, as both wait longer than advance does.
  test("waits as long as the model asks, and fails after the last retry", async () => {
    const asked = maxRetryWaitSeconds + 3; // seconds
    const calledAt: number[] = [];
    const later = rejects(503, "Come back later.", { "retry-after": String(asked) });
    const called = (reply: typeof later): typeof later => {
      return (...call) => (calledAt.push(Date.now()), reply(...call));
    };
    await using asking = await chatServer(called(later), called(answer));
    await using busy = await chatServer(...Array.from({ length: 100 }, () => rejects(503, "Overloaded.")));
    const [patient, rejected] = await Promise.all(
      [asking, busy].map(async ({ baseUrl }) => {
        const { api } = await deployed.newAgent(...server(baseUrl));
        const runId = await api.create("Hello?");
        const { loop_status } = await api.ended(runId);
        await executionEnds(runId, 1, "SUCCEEDED");
        return loop_status;
      }),
    );
    expect([patient, rejected]).toEqual(["finished", "technical_error"]);
    const [first = 0, second = 0, ...others] = calledAt;
    expect([second - first >= asked * 1_000, others]).toEqual([true, []]);
  });

  test("continues while a changed stack is deployed", { timeout: 600_000 }, async () => {
    const runId = await inFlight();
    // The change does not touch advance: MiniStack would end its invocation, where AWS lets it finish.
    const changed = ["--context", "corsOrigins=https://app.example.com", "--context", "requestsPerSecond=450"];
    expect(await npmRunDeploy(stackName, ...changed)).toMatchObject({ status: 0 });
    expect((await agent.api.read(runId)).loop_status).toBe("running");
    answer(seen.at(-1));
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect([loop_status, transcript[1]?.text]).toEqual(["finished", "Thought through."]);
  });
});
