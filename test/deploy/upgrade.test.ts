import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkOut, formerRelease } from "../../scripts/check-out.ts";
import {
  answersIn,
  chatServer,
  type Message,
  type Reply,
  rejects,
  scripted,
} from "../providers/chat-completions-server.ts";
import { type WebhookReceiver, webhookReceiver } from "../support/webhook-receiver.ts";
import { server } from "./deployed.ts";
import { folder } from "./phases.ts";
import { environment, root, run, succeed } from "./processes.ts";
import { callFunction, client, forwardToApi, stackOutputs } from "./service.ts";

// The release before is deployed with a stage of its own, used, and updated to this version.

const stack = "AgentRunService-upgrade";
const { version, commit } = formerRelease();

const settings = {
  stage: "upgrade",
  removal: "destroy",
  largeBodies: "off",
  sandbox: "javascript",
  concurrentRuns: 20,
};
const testApp = ["--app", `node ${join("test", "deploy", "app.ts")}`];

/** `npm run deploy` of a version in its folder. */
async function deploy(sources: string, ...options: string[]): Promise<string> {
  const args = ["run", "-s", "deploy", "--", ...options];
  const env = environment({ CDK_DISABLE_CLI_TELEMETRY: "true" });
  const { status, stdout, stderr } = await run("npm", args, { cwd: sources, env });
  if (status !== 0) throw new Error(`the deployment of ${sources} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** The admin CLI of a version. */
async function adminOf(sources: string, ...args: string[]): Promise<Record<string, unknown>> {
  const command = [join("bin", "admin.ts"), "--stack", stack, "--json", ...args]; // `npm run` takes a second more
  return JSON.parse(await succeed("node", command, { cwd: sources })) as Record<string, unknown>;
}

const report = "A report. ".repeat(20_000); // 200 KB: in the bucket
let released = false;

/** Writes a report, calls a tool of the caller, hangs in its second step until it is released, or answers with what it was asked. */
const works = scripted(({ input, step, results }) => {
  if (input.startsWith("Write") && step === 1)
    return { calls: [["write_file", { name: "report.txt", content: report }]] };
  if (input.startsWith("Ask") && step === 1) return { calls: [["find_order", { id: "4711" }]] };
  if (input.startsWith("Hang") && step === 1) return { calls: [["list_files", {}]] };
  if (input.startsWith("Hang") && !released) return undefined;
  return { text: results[0] === "Sent." ? "It is sent." : `Answered: ${input.slice(0, 40)}` };
});
const reply: Reply = (response, received) => {
  const messages = received.body.messages as Message[];
  const isRefused = answersIn(messages) === 0 && JSON.stringify(messages).includes("Refuse this");
  return (isRefused ? rejects(400, "No.") : works)(response, received);
};

const temporary = mkdtempSync(join(tmpdir(), "upgrade-"));
let former: ReturnType<typeof checkOut>;
let model: Awaited<ReturnType<typeof chatServer>>;
let receiver: WebhookReceiver;
let forwarder: Awaited<ReturnType<typeof forwardToApi>>;
let agent: { id: string; org: string; key: string; hash: string; secret: string };
let runs: Record<"written" | "long" | "failed" | "replayed" | "hanging" | "waiting", string>;
let asking: { id: string; api: ReturnType<typeof client> } | undefined;
let outputs: Record<string, string>;
let before: Served;

const formerAdmin = (...args: string[]) => adminOf(former.folder, ...args);
const admin = (...args: string[]) => adminOf(root, ...args);

beforeAll(async () => {
  former = checkOut(commit);
  receiver = await webhookReceiver();
  model = await chatServer(...Array.from({ length: 200 }, () => reply));
  const context = Object.entries(settings).flatMap(([name, value]) => ["--context", `${name}=${value}`]);
  const output = ["--output", join(folder, "former.out")];
  await deploy(former.folder, stack, ...context, "--require-approval", "never", ...testApp, ...output);
  outputs = await stackOutputs(stack);
  forwarder = await forwardToApi(outputs["ApiUrl"] ?? "");
});

afterAll(async () => {
  forwarder.close();
  rmSync(temporary, { recursive: true });
  former[Symbol.dispose]();
  await receiver[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Makes an organization with an agent, a key, a webhook and runs in all states. */
async function useFormer(): Promise<void> {
  const idOf = async (...args: string[]): Promise<string> => String((await formerAdmin(...args))["id"]);
  const org = await idOf("org", "create", "--name", "Of the release before");
  await formerAdmin("org", "set-model", org, ...server(model.baseUrl));
  const definition = {
    name: "Reporter",
    instructions: "Write reports.",
    tools: ["list_files", "read_file", "write_file"],
  };
  const file = join(temporary, "agent.json");
  writeFileSync(file, JSON.stringify(definition));
  const id = await idOf("agent", "create", "--org", org, "--file", file);
  writeFileSync(file, JSON.stringify({ ...definition, instructions: "Write good reports." }));
  await formerAdmin("agent", "update", id, "--file", file);
  const { api_key: key, hash } = await formerAdmin("key", "create", "--agent", id, "--name", "Used before");
  const url = `http://[fd00:5e1f::1]:${receiver.port}/hook`; // receiver-route.cjs
  const { secret } = await formerAdmin("webhook", "set", "--agent", id, "--url", url, "--private-addresses");
  agent = { id, org, key: String(key), hash: String(hash), secret: String(secret) };

  const api = client(forwarder.baseUrl, id, agent.key);
  const note = [{ filename: "note.txt", content_base64: Buffer.from("A note.").toString("base64") }];
  const written = await api.create("Write a report.", note);
  const long = await api.create(`Long: ${"all of it, please. ".repeat(5_000)}`);
  const failed = await api.create("Refuse this.");
  const replayed = String((await ext("POST", "/runs", "once", { name: "Once", input_text: "Only once." })).id);
  for (const each of [written, long, failed, replayed]) await api.ended(each);
  await formerAdmin("run", "input", written, "--text", "And now a second turn.");
  await api.ended(written);
  asking = await askingRun(org, definition);
  await formerAdmin("org", "set-quota", org, "--max-running", "1");
  const hanging = await api.create("Hang after a step.");
  await expect
    .poll(async () => (await ext("GET", `/runs/${hanging}/events`)).data?.length, { timeout: 60_000 })
    .toBe(3);
  const waiting = await api.create("Waits for a slot of the quota.");
  runs = { written, long, failed, replayed, hanging, waiting };
}

/** A run that waits for the answer to a call. Undefined: the release has no such calls, as 0.2.0. */
async function askingRun(org: string, definition: object): Promise<typeof asking> {
  const file = join(temporary, "asking.json");
  const clientTools = [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }];
  writeFileSync(file, JSON.stringify({ ...definition, clientTools }));
  const created = await formerAdmin("agent", "create", "--org", org, "--file", file).catch((error: unknown) => {
    if (String(error).includes("clientTools")) return undefined;
    throw error;
  });
  if (!created) return undefined;
  const { api_key: key } = await formerAdmin("key", "create", "--agent", String(created["id"]));
  const api = client(forwarder.baseUrl, String(created["id"]), String(key));
  const id = await api.create("Ask for the order.");
  const open = async () => (await formerAdmin("run", "show", id))["open_calls"];
  await expect.poll(open, { timeout: 60_000 }).toHaveLength(1);
  return { id, api };
}

type Json = Record<string, unknown> & { id?: string; data?: unknown[] };

async function ext(method: string, path: string, key?: string, body?: object): Promise<Json> {
  const response = await fetch(`${forwarder.baseUrl}/ext/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${agent.key}`,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

interface Served {
  v1: string[];
  ext: Json[];
  admin: Json[];
}

/** All that the service says of what has ended. */
async function served(cli: typeof admin): Promise<Served> {
  const ended = [runs.written, runs.long, runs.failed, runs.replayed];
  const read = async (id: string): Promise<string> => {
    const headers = { authorization: `Bearer ${agent.key}` };
    const response = await fetch(`${forwarder.baseUrl}/v1/agents/${id}`, { headers });
    return `${response.status} ${await response.text()}`;
  };
  const paths = ended.flatMap((id) => [`/runs/${id}`, `/runs/${id}/events`, `/runs/${id}/files`]);
  const commands = [
    ["org", "show", agent.org],
    ["agent", "show", agent.id],
    ["agent", "history", agent.id],
    ["webhook", "show", "--agent", agent.id],
    ["run", "show", runs.written, "--files", "--at", "1.1"],
    ["run", "file", runs.written, "report.txt", "--at", "2.1"],
    ["run", "file", runs.written, "note.txt"],
    ...ended.map((id) => ["run", "show", id]),
  ];
  return {
    v1: await Promise.all(ended.map(read)),
    ext: await Promise.all(paths.map((path) => ext("GET", path))),
    admin: await Promise.all(commands.map((command) => cli(...command))),
  };
}

test(`${version} has runs in all states`, async () => {
  await useFormer();
  before = await served(formerAdmin);
  expect(before.v1.map((answer) => answer.slice(0, 3))).toEqual(["200", "200", "200", "200"]);
});

test("is updated by a prepared assembly: table, bucket, state machine and address stay", async () => {
  const file = join(temporary, "stage.json");
  writeFileSync(file, JSON.stringify(settings));
  const assembly = join(folder, "upgraded.out");
  const written = await deploy(root, "--template-only", "--settings", file, "--output", assembly, ...testApp);
  expect(written).toContain("Nothing was deployed");
  const printed = await deploy(root, "--assembly", assembly, "--require-approval", "never");
  expect(printed).toMatch(/^ok +AgentRunService-upgrade +will be updated/m);
  expect(printed).toContain("The service is deployed at ");
  const kept = ["ApiUrl", "TableName", "BucketName", "StateMachineArn", "SecretPrefix", "OperatorPolicyArn"];
  const updated = await stackOutputs(stack);
  expect(kept.map((name) => updated[name])).toEqual(kept.map((name) => outputs[name]));
});

test(`what ${version} recorded is served as before: by v1 byte for byte, elsewhere with new fields at most`, async () => {
  const after = await served(admin);
  expect(after.v1).toEqual(before.v1);
  expect(after.ext).toMatchObject(before.ext);
  expect(after.admin).toMatchObject(before.admin);
});

test("a run goes on: its next turn has the record and the files of the turns before", async () => {
  const api = client(forwarder.baseUrl, agent.id, agent.key);
  await admin("run", "input", runs.written, "--text", "A third turn.");
  const { loop_status, transcript } = await api.ended(runs.written);
  expect([loop_status, transcript.length]).toEqual(["finished", 6]);
  const messages = model.received.at(-1)?.body.messages as Message[];
  expect(JSON.stringify(messages)).toContain("And now a second turn.");
  expect(await admin("run", "file", runs.written, "report.txt")).toMatchObject({ size: report.length });
});

test("an idempotency key of a create before still names its run", async () => {
  const again = await ext("POST", "/runs", "once", { name: "Once", input_text: "Only once." });
  expect(again).toMatchObject({ id: runs.replayed, status: "finished" });
});

test("the webhook sends with the secret that its receiver has", async () => {
  const last = receiver.received.length;
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(0);
  for (const { body, headers } of receiver.received.slice(0, last)) new Webhook(agent.secret).verify(body, headers);
  const bodies = (): string => receiver.received.map(({ body }) => body).join("\n");
  await expect.poll(() => bodies().split(runs.written).length - 1, { timeout: 60_000 }).toBe(3);
});

// The emulator ends invocations of a function that is deployed anew. On AWS, the old code would finish the turn.
test("an interrupted turn continues after its last record, and a run that waited for its slot starts", async () => {
  const api = client(forwarder.baseUrl, agent.id, agent.key);
  expect((await api.ended(runs.hanging)).loop_status).toBe("technical_error");
  released = true;
  await admin("run", "retry", runs.hanging);
  const { loop_status, transcript } = await api.ended(runs.hanging);
  expect([loop_status, transcript[1]?.text]).toEqual(["finished", "Answered: Hang after a step."]);
  const { data = [] } = await ext("GET", `/runs/${runs.hanging}/events`);
  expect(data.filter((event) => (event as Json)["type"] === "tool_result")).toHaveLength(1);
  await callFunction("Sweep", stack);
  expect((await api.ended(runs.waiting)).transcript[1]?.text).toBe("Answered: Waits for a slot of the quota.");
});

test("a run that waited for an answer continues with it", async ({ skip }) => {
  if (!asking) return skip(`${version} has no calls that wait`);
  expect((await asking.api.read(asking.id)).loop_status).toBe("running");
  await admin("run", "answer", asking.id, "1.1.0", "--output", "Sent.");
  expect((await asking.api.ended(asking.id)).transcript[1]?.text).toBe("It is sent.");
});

test("a disabled key stays disabled, and new keys, agents and runs are made beside the old ones", async () => {
  const { api_key: key } = await admin("key", "create", "--agent", agent.id);
  await admin("key", "disable", agent.hash);
  const headers = { authorization: `Bearer ${agent.key}` };
  expect((await fetch(`${forwarder.baseUrl}/v1/agents/${runs.long}`, { headers })).status).toBe(401);
  const api = client(forwarder.baseUrl, agent.id, String(key));
  expect((await api.ended(await api.create("A new one."))).loop_status).toBe("finished");
  const { runs: listed } = (await admin("run", "list", "--agent", agent.id)) as { runs: { id: string }[] };
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(runs)));
});
