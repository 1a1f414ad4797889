import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { main } from "../../bin/admin/main.ts";
import { chatServer, rejects } from "../providers/chat-completions-server.ts";
import { admin, done, fileNames, inProcess, rejected, listed } from "./admin.ts";
import { finished, modelAt, newDataDir, type Service, startService } from "./service.ts";
import { root, runScript } from "./script.ts";

const folder = mkdtempSync(join(tmpdir(), "run-start-"));

function file(name: string, content: string | number): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : "");
  if (typeof content === "number") truncateSync(path, content);
  return path;
}

describe("run start", () => {
  let service: Service;
  let start: (...args: string[]) => string[];
  beforeAll(async () => {
    service = await startService();
    start = (...args) => ["run", "start", "--agent", service.templateId, ...args];
    return () => service[Symbol.asyncDispose]();
  });

  test("starts a run with files, and an operator in the audit", async () => {
    const files = [file("a.csv", "x,y\n1,2\n"), file("b.txt", "")];
    const run = await done(
      service.dataDir,
      ...start("--text", "Add it up.\nMore", ...files.flatMap((f) => ["--file", f])),
    );
    expect(run).toMatchObject({ name: "Add it up.", status: "running", turn: 1 });
    await finished(service, run.id);
    expect(await fileNames(service.dataDir, run.id)).toEqual(["a.csv", "b.txt"]);
    const { stdout } = await admin(service.dataDir, "audit", "--json");
    expect(stdout).toContain(`"action":"run.create","id":"${run.id}"`);
  });

  test("--label names the run for later", async () => {
    const run = await done(service.dataDir, ...start("--text", "Go.", "--label", "customer=4711"));
    expect(run).toMatchObject({ labels: { customer: "4711" } });
    const found = await listed(service.dataDir, "run", "list", "--label", "customer=4711");
    expect(found).toMatchObject([{ id: run.id }]);
  });

  test("--limit and --model choose what the agent allows", async () => {
    const run = await done(
      service.dataDir,
      ...start("--text", "Go.", "--limit", "turn.steps=2", "--limit", "run.tokens=900000"),
    );
    expect(run).toMatchObject({ chosen: { limits: { turn: { steps: 2 }, run: { tokens: 900_000 } } } });
    await finished(service, run.id);
    const shown = await admin(service.dataDir, "run", "show", run.id);
    expect(shown.stdout).toMatch(/^chosen.limits.turn +steps 2$/m);
    const refusals = [
      [["--limit", "turn.steps=2000"], "turn.steps is 2000, and the agent's is "],
      [["--limit", "steps=2"], '--limit is "steps=2"; expected turn.NAME=NUMBER or run.NAME=NUMBER'],
      [["--limit", "run.steps=0.5"], "--limit, at run.steps: input should be a valid integer"],
      [["--limit", "run.steps=1", "--limit", "run.steps=2"], "--limit run.steps is given twice"],
      [["--model", "fast"], 'the model "fast" was chosen, and the agent offers none'],
    ] as const;
    for (const [options, message] of refusals) {
      expect(await rejected(service.dataDir, ...start("--text", "Go.", ...options))).toContain(message);
    }
  });

  test("--result-schema asks for a result, and --wait says where it does not fit", async () => {
    const limits = { steps: 5, tokens: 1e6, seconds: 60 };
    const typed = file(
      "typed.json",
      JSON.stringify({ name: "T", instructions: "Add.", tools: [], limits, result: { perRun: true } }),
    );
    const { organization_id: organization } = await done(service.dataDir, "agent", "show", service.templateId);
    const { id } = await done(service.dataDir, "agent", "create", "--org", String(organization), "--file", typed);
    const run = (schema: string) =>
      admin(
        service.dataDir,
        "run",
        "start",
        "--agent",
        id,
        "--text",
        "Go.",
        "--wait",
        "--json",
        "--result-schema",
        schema,
      );
    const fits = file("fits.json", '{"type": "object", "properties": {"total": {"type": "number"}}}');
    const { stdout } = await run(fits);
    const { output, ...others } = JSON.parse(stdout) as { output: string };
    expect([JSON.parse(output), others]).toEqual([{ total: 1 }, expect.objectContaining({ result_error: null })]);
    // The demo model does not read patterns.
    const never = file(
      "never.json",
      '{"type": "object", "properties": {"code": {"type": "string", "pattern": "^[A-Z]$"}}}',
    );
    const failed = await run(never);
    expect(failed).toMatchObject({ code: 0, stdout: expect.stringContaining('"place":"/code"') as string });
    expect(failed.stderr).toContain("The output does not fit the schema of its result: /code: expected to match");
    const shown = await admin(service.dataDir, "run", "show", (JSON.parse(failed.stdout) as { id: string }).id);
    expect(shown.stdout).toContain('/code: expected to match pattern "^[A-Z]$", received "demo"');
    const untyped = file("untyped.json", JSON.stringify({ name: "U", instructions: "Add.", tools: [], limits }));
    const other = await done(service.dataDir, "agent", "create", "--org", String(organization), "--file", untyped);
    const refused = ["run", "start", "--agent", other.id, "--text", "x", "--result-schema", fits];
    expect(await rejected(service.dataDir, ...refused)).toContain("result.perRun");
    const notJson = file("not.json", "{");
    expect(await rejected(service.dataDir, ...start("--text", "x", "--result-schema", notJson))).toContain(
      "is not JSON",
    );
  });

  test("an agent file with a schema that cannot be used is refused, with the place", async () => {
    const broken = {
      name: "T",
      instructions: "Add.",
      result: { schema: { type: "object", properties: { a: { type: "x" } } } },
    };
    const path = file("broken.json", JSON.stringify(broken));
    const message = await rejected(service.dataDir, "agent", "update", service.templateId, "--file", path);
    expect(message).toContain("result.schema: /properties/a/type: must be equal to one of the allowed values");
  });

  test("--wait prints the id on stderr, the output alone, and progress on a terminal", async () => {
    const args = start("--text", "Work.\ndemo: steps=2", "--name", "R", "--wait");
    const { code, stdout, stderr } = await admin(service.dataDir, ...args);
    expect(code).toBe(0);
    const [, id = ""] = /^Run (\S+) started\.\n$/.exec(stderr) ?? [];
    expect(await done(service.dataDir, "run", "show", id)).toMatchObject({ id, name: "R", status: "finished" });
    expect(stdout).toMatch(/^The input has 19 characters[^]*I took 2 steps with tools/);
    const terminal = await inProcess(main, [...args, "--data-dir", service.dataDir], true);
    expect(terminal.stdout).toBe(stdout);
    const lines = [
      /Run \S+ started\./,
      /step 1  write_file  0\.\d s/,
      /step 2  read_file  0\.\d s/,
      /step 3  answer  0\.\d s/,
    ];
    const [last, ...shown] = terminal.stderr.trimEnd().split("\n").toReversed();
    expect(shown.toReversed()).toEqual(lines.map((line) => expect.stringMatching(line) as string));
    expect(last).toMatch(/^Finished in \d\.\d s, 3 model calls, [\d,]+ tokens\.$/);
  });

  test("--wait --json prints one object at the end", async () => {
    const shown = await done(service.dataDir, ...start("--text", "Hello", "--wait"));
    expect(shown).toMatchObject({
      status: "finished",
      finish_reason: "completed",
      usage: expect.objectContaining({ steps: 1 }),
      output: expect.stringContaining("The input has 5 characters"),
    });
  });

  test("the input comes from a file or standard input", async () => {
    const named = await done(service.dataDir, ...start("--text-file", file("input.md", "# Häuser\n")));
    expect(named).toMatchObject({ name: "# Häuser" });
    const child = spawn(process.execPath, ["bin/admin.ts", ...start("-", "--wait", "--data-dir", service.dataDir)], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.end("from a pipe");
    let output = "";
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) output += chunk.toString();
    expect(output).toContain('"from a pipe"');
  });

  /** Starts a slow run with --wait. Resolves when it is stored. `ended`: the command's result. */
  async function startSlow(name: string) {
    const ended = admin(
      service.dataDir,
      ...start("--text", "Slow.\ndemo: steps=3 delay=1000", "--name", name, "--wait"),
    );
    for (;;) {
      const list = ["run", "list", "--agent", service.templateId, "--limit", "1"];
      const [run] = await listed<{ id: string; name: string }>(service.dataDir, ...list);
      if (run?.name === name) return { id: run.id, ended };
      await sleep(20);
    }
  }

  test("Ctrl-C ends the waiting, not the run", async () => {
    const { id, ended } = await startSlow("interrupted");
    await sleep(100);
    process.emit("SIGINT");
    const stderr = `Run ${id} started.\nadmin: stopped waiting; run ${id} proceeds (see run show ${id} --events)\n`;
    expect(await ended).toEqual({ code: 130, stdout: "", stderr });
    expect(await done(service.dataDir, "run", "stop", id)).toMatchObject({ status: "terminated" });
  });

  test("a run that is stopped meanwhile has exit code 2", async () => {
    const { id, ended } = await startSlow("stopped");
    await done(service.dataDir, "run", "stop", id);
    const stderr = `Run ${id} started.\nadmin: run ${id}: terminated (see run show ${id})\n`;
    expect(await ended).toEqual({ code: 2, stdout: "", stderr });
  });

  const many = Array.from({ length: 11 }, () => ["--file", "a"]).flat();
  mkdirSync(join(folder, "other"));
  test.each([
    [[], "the input is missing; pass one of --text TEXT, --text-file FILE or - (standard input)"],
    [["--text", "x", "-"], "the input is given more than once"],
    [["--text", " "], "--text is empty"],
    [["x"], 'run start does not take "x"; pass the input with --text TEXT'],
    [["--text-file", file("latin-1.txt", "").concat(".missing")], "latin-1.txt.missing does not exist"],
    [["--text", "x", "--name", ""], "--name has 0 characters; expected 1 to 200"],
    [["--text", "x", ...many], "--file is given 11 times; a run takes at most 10 files"],
    [["--text", "x", "--file", folder], "is a directory; pass its files, or a ZIP archive of them"],
    [
      ["--text", "x", "--file", file("n.txt", "1"), "--file", file("other/N.txt", "2")],
      "have the same name in the run, N.txt; rename one",
    ],
    [
      ["--text", "x", "--file", file("big.bin", 8 * 1024 * 1024), "--file", file("more.bin", 3 * 1024 * 1024)],
      "the files have 11.0 MiB together; a run takes at most 10.0 MiB (big.bin 8.0 MiB, more.bin 3.0 MiB)",
    ],
  ])("rejects %j", async (args, error) => {
    expect(await rejected(service.dataDir, ...start(...args))).toContain(error);
  });
});

test("a run that fails has exit code 2 and says why", async () => {
  await using server = await chatServer(rejects(401, "no such key"));
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const args = ["run", "start", "--agent", service.templateId, "--text", "x", "--wait", "--data-dir", service.dataDir];
  const { code, stdout, stderr } = await runScript("bin/admin.ts", args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^Run \S+ started\.\nadmin: run \S+: technical_error: .*no such key.*\(see run show \S+\)\n$/);
});

test("without a service, the run starts with it", async () => {
  const { dataDir, templateId } = await stopped();
  const args = ["run", "start", "--agent", templateId, "--text", "Later."];
  expect(await rejected(dataDir, ...args, "--wait")).toContain("no service runs on the data directory");
  const { code, stdout, stderr } = await admin(dataDir, ...args, "--json");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("the run will start with it: npm start") as string,
  });
  await using service = await startService(dataDir);
  const { id } = JSON.parse(stdout) as { id: string };
  const { stdout: events } = await admin(dataDir, "run", "show", id, "--events");
  expect(events).toMatch(/\nfinished\n$/);
  expect(service.templateId).toBe(templateId);
});

/** A data directory whose service has ended. */
async function stopped(): Promise<{ dataDir: string; templateId: string }> {
  const dataDir = newDataDir();
  const service = await startService(dataDir);
  await service.end("SIGTERM");
  return { dataDir, templateId: service.templateId };
}
