import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkOut, formerRelease } from "../../scripts/check-out.ts";
import type { Message } from "../providers/chat-completions-server.ts";
import { type WebhookReceiver, webhookReceiver } from "../support/webhook-receiver.ts";
import { server } from "./deployed.ts";
import { bootstrap } from "./cdk.ts";
import { copyObjects, exportTable, inRegion, outputsInRegion, region } from "./region.ts";
import { folder } from "./phases.ts";
import { root, succeed } from "./processes.ts";
import { callFunction, client, forwardToApi, stackOutputs } from "./service.ts";
import { report, upgradeModel } from "./upgrade-model.ts";
import { adminOf, assembly, deploy, settings, stack, testApp } from "./upgraded-stack.ts";

// The release before is deployed with a stage of its own, used, and updated to this version.

const { version, commit } = formerRelease();

const temporary = mkdtempSync(join(tmpdir(), "upgrade-"));
let former: ReturnType<typeof checkOut>;
let model: Awaited<ReturnType<typeof upgradeModel>>;
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
  model = await upgradeModel();
  await deployFormer();
  outputs = await stackOutputs(stack);
  forwarder = await forwardToApi(outputs["ApiUrl"] ?? "");
});

async function deployFormer(): Promise<string> {
  const context = Object.entries(settings).flatMap(([name, value]) => ["--context", `${name}=${value}`]);
  const output = ["--output", join(folder, "former.out")];
  return deploy(former.folder, [stack, ...context, "--require-approval", "never", ...testApp, ...output]);
}

/** Outputs that a deployment must not change: what holds data, or is an address. */
const kept = ["ApiUrl", "TableName", "BucketName", "StateMachineArn", "SecretPrefix", "OperatorPolicyArn"];

afterAll(async () => {
  forwarder.close();
  rmSync(temporary, { recursive: true });
  former[Symbol.dispose]();
  await receiver[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** An option as the release before names it. */
const formerOption = (option: string): string => (option === "--model" ? "--model-name" : option);

/** Makes an organization with an agent, a key, a webhook and runs in all states. */
async function useFormer(): Promise<void> {
  const idOf = async (...args: string[]): Promise<string> => String((await formerAdmin(...args))["id"]);
  const org = await idOf("org", "create", "--name", "Of the release before");
  await formerAdmin("org", "set-model", org, ...server(model.baseUrl).map(formerOption));
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

/** Status and body of a read of v1. */
async function read(baseUrl: string, id: string, key = agent.key): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/agents/${id}`, { headers: { authorization: `Bearer ${key}` } });
  return `${response.status} ${await response.text()}`;
}

/** All that the service says of what has ended. */
async function served(cli: typeof admin): Promise<Served> {
  const ended = [runs.written, runs.long, runs.failed, runs.replayed];
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
    v1: await Promise.all(ended.map((id) => read(forwarder.baseUrl, id))),
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
  const written = await deploy(root, ["--template-only", "--settings", file, "--output", assembly, ...testApp]);
  expect(written).toContain("Nothing was deployed");
  const printed = await deploy(root, ["--assembly", assembly, "--require-approval", "never"]);
  expect(printed).toMatch(/^ok +AgentRunService-upgrade +will be updated/m);
  expect(printed).toContain("The service is deployed at ");
  const updated = await stackOutputs(stack);
  expect(kept.map((name) => updated[name])).toEqual(kept.map((name) => outputs[name]));
});

const head = ({ id, name, status, turn }: Json): Json => ({ id: String(id), name, status, turn });

test(`what ${version} recorded is served as before: by v1 byte for byte, elsewhere with new fields at most`, async () => {
  // The command line of each release prints in its own words: that of the release before reads the updated stack, too.
  const after = await served(formerAdmin);
  expect(after.v1).toEqual(before.v1);
  expect(after.ext).toMatchObject(before.ext);
  expect(after.admin).toMatchObject(before.admin);
  const shown = await Promise.all([runs.written, runs.long, runs.failed].map((id) => admin("run", "show", id)));
  const paths = [runs.written, runs.long, runs.failed].map((id) => `/runs/${id}`);
  expect(shown.map(head)).toEqual((await Promise.all(paths.map((path) => ext("GET", path)))).map(head));
});

test("a run continues: its next turn has the record and the files of the turns before", async () => {
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
  model.release();
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
  const { key } = await admin("key", "create", "--agent", agent.id);
  await admin("key", "disable", agent.hash);
  expect((await read(forwarder.baseUrl, runs.long)).slice(0, 3)).toBe("401");
  agent.key = String(key);
  const api = client(forwarder.baseUrl, agent.id, agent.key);
  expect((await api.ended(await api.create("A new one."))).loop_status).toBe("finished");
  const { data: listed } = (await admin("run", "list", "--agent", agent.id)) as { data: { id: string }[] };
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(runs)));
});

test(`is rolled back by a deployment of ${version}, which serves and continues the runs of both`, async () => {
  const api = client(forwarder.baseUrl, agent.id, agent.key);
  const newer = await api.create("One of this version.");
  await api.ended(newer);
  const all = [runs.written, runs.long, runs.failed, runs.replayed, runs.hanging, newer];
  const readAll = () => Promise.all(all.map((id) => read(forwarder.baseUrl, id)));
  const answers = await readAll();
  expect(await deployFormer()).toMatch(/^ok +AgentRunService-upgrade +will be updated/m);
  const rolledBack = await stackOutputs(stack);
  expect(kept.map((name) => rolledBack[name])).toEqual(kept.map((name) => outputs[name]));
  expect(await readAll()).toEqual(answers);
  for (const id of [runs.written, newer]) {
    expect(await formerAdmin("run", "show", id)).toMatchObject({ id, status: "finished" });
    await formerAdmin("run", "input", id, "--text", "A turn after the roll-back.");
    const { loop_status, transcript } = await api.ended(id);
    expect([loop_status, transcript.at(-2)?.text]).toEqual(["finished", "A turn after the roll-back."]);
  }
  expect((await api.ended(await api.create("Another one."))).loop_status).toBe("finished");
});

// The last test: roles of the emulator have the names of their stack in all regions, so this one ends what the stack can do.
test("is restored in another region from copies there, with its keys and runs", async () => {
  const ended = [runs.written, runs.long, runs.failed, runs.hanging];
  const answers = await Promise.all(ended.map((id) => read(forwarder.baseUrl, id)));
  const { url, count } = await exportTable(outputs["TableName"] ?? "");
  await bootstrap(region);
  expect(await deploy(root, ["--assembly", assembly, "--require-approval", "never"], inRegion())).toContain(
    "will be created",
  );
  const restored = await outputsInRegion(stack);
  await copyObjects(outputs["BucketName"] ?? "", restored["BucketName"] ?? "");
  const command = ["run", "-s", "restore-items", "--", "--from", url, "--to", restored["TableName"] ?? ""];
  const printed = await succeed("npm", [...command, "--overwrite"], { env: inRegion() });
  expect(printed).toContain(`${count} items found in ${url}; ${count} written`);
  expect(await succeed("npm", command, { env: inRegion() })).toContain(
    `; 0 written to ${restored["TableName"]}, ${count} existing`,
  );

  const there = await forwardToApi(restored["ApiUrl"] ?? "");
  expect(await Promise.all(ended.map((id) => read(there.baseUrl, id)))).toEqual(answers);
  const api = client(there.baseUrl, agent.id, agent.key);
  expect((await api.ended(await api.create("In the other region."))).loop_status).toBe("finished");
  there.close();
});
