import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer } from "../../providers/chat-completions-server.ts";
import { type Caller, createRun, finished, modelAt, startService } from "../service.ts";
import { openEngine, reasonToSkip } from "./linux/engine.ts";

const engine = await openEngine();
const hasBubblewrap = !("unavailable" in engine);
if (hasBubblewrap) engine.close();

/** Processes that a process started, and those that they started. */
function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(descendants)];
}

/** Ticks of processor time, user and system: fields 14 and 15 of /proc/PID/stat. */
function ticks(pid: number): number {
  const [, , , , , , , , , , , user, system] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(user) + Number(system);
}

/** What a service left outside of its data directory. */
function leftBy(pid: number): string[] {
  const parents = ["/tmp", "/sys/fs/cgroup", ...["memory", "pids", "cpu"].map((each) => `/sys/fs/cgroup/${each}`)];
  return parents.filter(existsSync).flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => new RegExp(`^agent-run-(programs|service)-${pid}-`).test(name))
      .map((name) => join(parent, name)),
  );
}

/** Makes a folder whose path is longer than the kernel accepts. */
const deepFolder = 'cd "$1"; for n in {1..60}; do d=$(printf "x%.0s" {1..200}); mkdir $d && cd -P $d || exit; done';

const cases = [
  { tool: "run_python", engine: "bubblewrap", code: { code: "while True: pass" } },
  { tool: "run_python", engine: "off", code: { code: "while True: pass" } },
  { tool: "run_javascript", engine: "off", code: { code: "while (true) {}" } },
].filter(({ engine: needed }) => needed === "off" || hasBubblewrap);

test.runIf(existsSync("/proc")).each(cases)(
  `no program of $tool with --sandbox $engine outlives a service that is killed${reasonToSkip(engine)}`,
  async ({ tool, engine: sandbox, code }) => {
    await using model = await chatServer(callsTool(tool, { ...code, seconds: 60 }), answersWithResult);
    const options = [...modelAt(model.baseUrl), "--sandbox", sandbox];
    await using service = await startService(undefined, options);
    const runId = await createRun(service, { input_text: "Compute." });
    const pid = service.child.pid ?? 0;
    await expect.poll(() => Math.max(...descendants(pid).map(ticks)), { timeout: 20_000 }).toBeGreaterThan(100);
    const programs = descendants(pid);
    await service.end("SIGKILL");
    await expect.poll(() => programs.filter((each) => existsSync(`/proc/${each}`))).toEqual([]);

    const left = leftBy(pid);
    expect(left.some((path) => path.startsWith("/tmp/"))).toBe(sandbox === "bubblewrap");
    const folder = join(service.dataDir, "programs", "left");
    mkdirSync(folder, { recursive: true });
    execFileSync("bash", ["-c", deepFolder, "bash", folder]);

    // The next start does not repeat the program, because it may have killed the service.
    await using second = await startService(service.dataDir, options);
    const { loop_status, transcript } = await finished({ ...second, apiKey: service.apiKey }, runId);
    expect(loop_status).toBe("finished");
    expect(transcript.at(-1)?.text).toMatch(
      /^It says: This call was interrupted\. The service was killed while the program ran/,
    );
    expect(leftBy(pid)).toEqual([]);
    expect(existsSync(folder)).toBe(sandbox !== "bubblewrap");
    const events = await eventsOf({ ...second, apiKey: service.apiKey }, runId);
    const rest = ["resumed", "tool_started", "tool_result", "model_call", "output"];
    expect(events.map(({ type }) => type)).toEqual(["input", "model_call", ...rest]);
  },
);

async function eventsOf({ baseUrl, apiKey }: Caller, runId: string): Promise<{ type: string }[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}/ext/v1/runs/${runId}/events`, { headers });
  return ((await response.json()) as { data: { type: string }[] }).data;
}

test("a program runs again when the service was stopped as planned", async () => {
  const code = "const end = Date.now() + 2000; while (Date.now() < end); console.log('it has ended')";
  await using model = await chatServer(callsTool("run_javascript", { code }), answersWithResult);
  const options = modelAt(model.baseUrl);
  await using service = await startService(undefined, options);
  const runId = await createRun(service, { input_text: "Compute." });
  await expect.poll(() => descendants(service.child.pid ?? 0).length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await service.end("SIGTERM")).toBe(0);
  await using second = await startService(service.dataDir, options);
  expect((await finished({ ...second, apiKey: service.apiKey }, runId)).transcript.at(-1)?.text).toContain(
    "it has ended",
  );
});
