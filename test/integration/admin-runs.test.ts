import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { chatServer, chunk, streams, toolCallChunk, usageChunk } from "../providers/chat-completions-server.ts";
import { main } from "../../bin/admin/main.ts";
import { admin, done, fileText, inProcess, listed, rejected } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, read, type Service, startService } from "./service.ts";

interface Page {
  data: { id: string }[];
  next: string | null;
}

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** Seconds between the creation of a token and its end. */
function lifetimeOf({ created_at, expires_at }: Record<string, unknown>): number {
  return (Date.parse(String(expires_at)) - Date.parse(String(created_at))) / 1_000;
}

describe("run commands", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    return () => service[Symbol.asyncDispose]();
  });

  test("delete says what it did", async () => {
    const run = await createRun(service, { input_text: "x" });
    const { stdout } = await admin(service.dataDir, "run", "delete", run);
    expect(stdout.trim()).toBe(`Deleted the transcript, steps and files of run ${run}.`);
  });

  test("list, show, input and stop", async () => {
    const files = [{ filename: "notes.txt", content_base64: Buffer.from("a heron\n").toString("base64") }];
    const id = await createRun(service, { name: "Run of the operator", input_text: "first", files });
    await finished(service, id);
    const page = await done(service.dataDir, "run", "list", "--agent", service.templateId, "--limit", "1");
    const expected = { data: [{ id, name: "Run of the operator", status: "finished", turn: 1 }] };
    expect(page).toMatchObject(expected);
    expect(await done(service.dataDir, "run", "show", id)).toMatchObject({
      status: "finished",
      files: [{ name: "notes.txt", size: 8 }],
      events: [{ type: "input", text: "first" }, {}, {}, {}, {}, {}, { type: "output" }],
    });
    const { stdout: shown } = await admin(service.dataDir, "run", "show", id);
    expect(shown).toContain("\ninput:\n    first\n");
    expect(shown).toMatch(/started_by +key \S+/);

    expect(await done(service.dataDir, "run", "show", id)).toMatchObject({ agent_version: 1 });
    expect(await done(service.dataDir, "run", "request", id, "--at", "1.1")).toMatchObject({
      provider: "demo",
      configuration: expect.stringMatching(/^[0-9a-f]{64}$/),
      messages: [
        { role: "user", text: "first" },
        { note: true, text: expect.stringContaining("notes.txt") },
      ],
      tools: expect.arrayContaining([expect.objectContaining({ name: "list_files" })]),
    });
    expect(await rejected(service.dataDir, "run", "request", id, "--at", "1.99")).toContain(
      "no answer in turn 1, step 99",
    );
    expect(await rejected(service.dataDir, "run", "request", id, "--at", "1")).toContain(
      '--at is "1": string should match pattern',
    );
    expect(await done(service.dataDir, "run", "input", id, "--text", "second")).toMatchObject({ turn: 2 });
    const second = await finished(service, id);
    expect(second.transcript.map(({ role }) => role)).toEqual([
      "input_to_agent",
      "output_from_agent",
      "input_to_agent",
      "output_from_agent",
    ]);
    expect(second.transcript[2]?.text).toBe("second");

    expect(await done(service.dataDir, "run", "stop", id)).toMatchObject({ status: "terminated" });
    expect(await read(service, id)).toMatchObject({ loop_status: "terminated" });
    expect(await rejected(service.dataDir, "run", "input", id, "--text", "third")).toContain("terminated");
  });

  test("share gives a token that reads the run until unshare", async () => {
    const { dataDir, baseUrl } = service;
    const id = await createRun(service, { name: "Shared" });
    const reads = async ({ token }: Record<string, unknown>) =>
      (await fetch(`${baseUrl}/ext/v1/runs/${id}`, { headers: { authorization: `Bearer ${String(token)}` } })).status;
    const [short, long, last] = [
      await done(dataDir, "run", "share", id),
      await done(dataDir, "run", "share", id, "--expires-in", "7d"),
      await done(dataDir, "run", "share", id, "--expires-in", "90m"),
    ];
    expect([short, long, last].map(lifetimeOf)).toEqual([3_600, 604_800, 5_400]);
    expect([await reads(short), await reads(long)]).toEqual([200, 200]);
    expect(await done(dataDir, "run", "unshare", id, short.id)).toEqual({ revoked: [short.id] });
    expect([await reads(short), await reads(long)]).toEqual([401, 200]);
    expect(await rejected(dataDir, "run", "unshare", id, short.id)).toBe(
      `run ${id} has no valid token "${short.id}"; its valid tokens are ${long.id}, ${last.id}`,
    );
    expect(await done(dataDir, "run", "unshare", id)).toEqual({ revoked: [long.id, last.id] });
    expect(await reads(long)).toBe(401);
    expect(await rejected(dataDir, "run", "share", id, "--expires-in", "31d")).toContain("--expires-in is 2678400: ");
    expect(await rejected(dataDir, "run", "share", id, "--expires-in", "1.5h")).toContain('--expires-in is "1.5h": ');
    const audit = await listed<{ action: string; id: string }>(dataDir, "audit");
    const actions = audit.filter((entry) => entry.id === id).map(({ action }) => action);
    expect(actions).toEqual([...Array(3).fill("run.unshare"), ...Array(3).fill("run.share")]);
  });

  test("list has pages, and filters by organization, status and time", async () => {
    const { dataDir, templateId } = service;
    const before = new Date().toISOString();
    const ids = [];
    for (const name of ["one", "two", "three"]) ids.unshift(await createRun(service, { name, input_text: "x" }));
    for (const id of ids) await finished(service, id);
    const organization = (await done(dataDir, "agent", "show", templateId))["organization_id"] as string;
    for (const of of [
      ["--agent", templateId],
      ["--org", organization],
    ]) {
      const list = async (...more: string[]): Promise<Page> => {
        const page: unknown = await done(dataDir, "run", "list", ...of, "--since", before, ...more);
        return page as Page;
      };
      const first = await list("--limit", "2");
      const second = await list("--limit", "2", "--cursor", first.next ?? "");
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
      expect(second.next).toBeNull();
      expect((await list("--status", "finished")).data).toHaveLength(3);
      expect((await list("--status", "terminated")).data).toEqual([]);
      expect((await list("--status", "terminated, finished")).data).toHaveLength(3);
      expect((await list("--until", before)).data).toEqual([]);
      expect((await list("--sort", "steps", "--limit", "2")).data).toHaveLength(2);
      expect((await list("--max-seconds", "60")).data).toHaveLength(3);
      for (const none of ["--min-seconds=60", "--tool=x", "--model=x", "--category=limit", "--label=a=b"])
        expect((await list(none)).data).toEqual([]);
    }
    const { stdout } = await admin(dataDir, "run", "list", "--agent", templateId, "--limit", "1");
    expect(stdout).toMatch(/three\n\nThere may be more: --cursor \S+\n$/);
  });

  test.each([
    [["--limit", "0"], "--limit is 0: input should be greater than or equal to 1"],
    [["--status", "done"], "--status is \"done\": input should be 'running', "],
    [["--label", "team"], '--label is "team": string should match pattern'],
    [["--min-dollars", "$1"], '--min-dollars is "$1": input should be a valid number'],
    [["--until", "noon"], '--until is "noon": input should be a valid datetime'],
    [["--cursor", "x"], 'the cursor "x" is not valid'],
  ])("list rejects %j", async (options, error) => {
    const { dataDir, templateId } = service;
    expect(await rejected(dataDir, "run", "list", "--agent", templateId, ...options)).toContain(error);
  });
});

test("run show --files and run file read the files of a run, now and at a step", async () => {
  const edits = streams(
    chunk({ role: "assistant" }),
    toolCallChunk(0, { id: "call-1", name: "write_file", arguments: '{"name":"a.txt","content":"edited"}' }),
    chunk({}, { finish_reason: "tool_calls" }),
    usageChunk,
  );
  const answers = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }));
  await using server = await chatServer(edits, answers);
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { dataDir } = service;
  const bytes = Buffer.from([0, 0xff, 0x1b, 0x0a]);
  const files = [
    { filename: "a.txt", content_base64: Buffer.from("uploaded").toString("base64") },
    { filename: "b.bin", content_base64: bytes.toString("base64") },
  ];
  const id = await createRun(service, { input_text: "Edit.", files });
  await finished(service, id);

  const shown = await done(dataDir, "run", "show", id, "--files");
  expect(shown).toMatchObject({
    data: [
      { name: "a.txt", size: 6, sha256: sha256("edited") },
      { name: "b.bin", size: 4, sha256: sha256(bytes) },
    ],
  });
  const { stdout } = await admin(dataDir, "run", "show", id, "--files", "--at", "1.0");
  expect(stdout).toContain(`  a.txt (8 bytes)  ${sha256("uploaded")}\n`);
  expect(await done(dataDir, "run", "show", id)).toMatchObject({
    events: [{}, {}, { files: [{ name: "a.txt", sha256: sha256("edited") }] }, {}, {}],
  });

  expect([await fileText(dataDir, id, "a.txt"), await fileText(dataDir, id, "a.txt", "--at", "1.0")]).toEqual([
    "edited",
    "uploaded",
  ]);
  const output = join(dataDir, "saved.bin");
  expect(await done(dataDir, "run", "file", id, "b.bin", "--output", output)).toMatchObject({ output, size: 4 });
  expect(readFileSync(output)).toEqual(bytes);
  expect(await rejected(dataDir, "run", "file", id, "a.txt", "--output", output)).toContain("--force to replace it");
  expect(readFileSync(output)).toEqual(bytes);
  await done(dataDir, "run", "file", id, "a.txt", "--output", output, "--force");
  expect(readFileSync(output, "utf8")).toBe("edited");
  expect(await done(dataDir, "run", "file", id, "b.bin")).toMatchObject({ content_base64: bytes.toString("base64") });
  const args = ["run", "file", id, "b.bin", "--data-dir", dataDir];
  expect((await inProcess(main, args, true)).stderr).toContain("standard output is a terminal; pass --output FILE");
  expect((await inProcess(main, [...args, "--json"], true)).stdout).toContain(bytes.toString("base64"));

  expect(await rejected(dataDir, "run", "file", id, "c.txt")).toContain("see run show ID --files");
  expect(await rejected(dataDir, "run", "file", id, "a.txt", "--at", "1.9")).toContain("turn 1 has 2 steps");
  expect(await rejected(dataDir, "run", "show", id, "--files", "--at", "1")).toContain(
    '--at is "1": string should match',
  );
  expect(await rejected(dataDir, "run", "show", id, "--at", "1.1")).toContain("--at needs --files");
});

test("run show prints what each step did and cost; --events prints it as it happens", async () => {
  const reads = streams(
    chunk({ role: "assistant" }),
    toolCallChunk(0, { id: "call-1", name: "read_file", arguments: '{"name":"a.txt"}' }),
    chunk({}, { finish_reason: "tool_calls" }),
    usageChunk,
  );
  const answers = streams(
    chunk({ role: "assistant", content: "A heron." }),
    chunk({}, { finish_reason: "stop" }),
    usageChunk,
  );
  await using server = await chatServer(reads, answers);
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { dataDir } = service;
  const files = [
    { filename: "a.txt", content_base64: Buffer.from(`a heron\n${"x".repeat(1_000)}`).toString("base64") },
  ];
  const id = await createRun(service, { input_text: "What?", files });

  const { stdout, code } = await admin(dataDir, "run", "show", id, "--events", "--json");
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(events).toMatchObject([
    { turn: 1, type: "input", text: "What?" },
    {
      turn: 1,
      step: 1,
      type: "model_call",
      model: "m",
      usage: { input_tokens: 21, output_tokens: 7 },
      tool_calls: [{ name: "read_file", arguments: '{"name":"a.txt"}' }],
    },
    { turn: 1, step: 1, type: "tool_result", name: "read_file", is_error: false },
    { turn: 1, step: 2, type: "model_call", text: "A heron." },
    { turn: 1, type: "output", text: "A heron." },
    { id, status: "finished" },
  ]);
  const steps = events.slice(1, 4);
  expect(steps.every(({ milliseconds }) => typeof milliseconds === "number")).toBe(true);
  expect(events.slice(0, 5).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  expect(events.slice(0, 5).every(({ at }) => new Date(String(at)).toISOString() === at)).toBe(true);
  const rest = await admin(dataDir, "run", "show", id, "--events", "--after", "3");
  expect(rest.stdout).toMatch(/^\d{4}-\S+Z  #4  turn 1, step 2: model call, [^]*\n\S+  #5  turn 1: output\n/);
  expect(await rejected(dataDir, "run", "show", id, "--events", "--after", "x")).toContain('--after is "x": ');
  expect(await rejected(dataDir, "run", "show", id, "--after", "3")).toContain("--after needs --events");

  const shown = await done(dataDir, "run", "show", id);
  expect(shown).toMatchObject({ status: "finished", usage: { steps: 2, input_tokens: 42, output_tokens: 14 } });
  expect(shown["events"]).toEqual(events.slice(0, 5));
  const { stdout: text } = await admin(dataDir, "run", "show", id);
  expect(text).toMatch(/a heron[^]*… \(\d+ characters\)$/m);
  expect(text).toMatch(
    /turn 1, step 1: model call, m, \d+ ms, 21 tokens in, 7 out\n    call 1: read_file \{"name":"a.txt"\}/,
  );
  expect((await admin(dataDir, "run", "list", "--agent", service.templateId)).stdout).toMatch(
    /finished +\d s +1 +56 +test/,
  );
});

test("run show and run file show files in folders, and deletions", async () => {
  const calls = streams(
    chunk({ role: "assistant" }),
    toolCallChunk(0, { id: "call-1", name: "write_file", arguments: '{"name":"reports/q3.csv","content":"a,b"}' }),
    toolCallChunk(1, { id: "call-2", name: "delete_file", arguments: '{"name":"a.txt"}' }),
    chunk({}, { finish_reason: "tool_calls" }),
    usageChunk,
  );
  const answers = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }));
  await using server = await chatServer(calls, answers);
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { dataDir } = service;
  const files = [{ filename: "a.txt", content_base64: Buffer.from("uploaded").toString("base64") }];
  const id = await createRun(service, { input_text: "Tidy up.", files });
  await finished(service, id);

  expect(await done(dataDir, "run", "show", id, "--files")).toMatchObject({
    data: [{ name: "reports/q3.csv", size: 3, sha256: sha256("a,b") }],
  });
  expect(await fileText(dataDir, id, "reports/q3.csv")).toBe("a,b");
  expect(await fileText(dataDir, id, "a.txt", "--at", "1.0")).toBe("uploaded");
  expect(await rejected(dataDir, "run", "file", id, "a.txt")).toContain('has no file "a.txt"');
  const { stdout } = await admin(dataDir, "run", "show", id, "--events");
  expect(stdout).toContain("write_file (call 1), changed reports/q3.csv,");
  expect(stdout).toContain("delete_file (call 2), deleted a.txt,");
  const { stdout: json } = await admin(dataDir, "run", "show", id, "--events", "--json");
  expect(json).toContain('"files":[{"name":"a.txt","size":0,"sha256":null,"deleted":true}]');
});
