import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chatServer, chunk, streams, toolCallChunk } from "../../providers/chat-completions-server.ts";
import { createRun, modelAt, startService } from "../service.ts";
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

const cases = [
  { tool: "run_python", engine: "bubblewrap", code: { code: "while True: pass" } },
  { tool: "run_python", engine: "off", code: { code: "while True: pass" } },
  { tool: "run_javascript", engine: "off", code: { code: "while (true) {}" } },
].filter(({ engine: needed }) => needed === "off" || hasBubblewrap);

test.runIf(existsSync("/proc")).each(cases)(
  `no program of $tool with --sandbox $engine outlives a service that is killed${reasonToSkip(engine)}`,
  async ({ tool, engine: sandbox, code }) => {
    const call = JSON.stringify({ ...code, seconds: 60 });
    await using model = await chatServer(
      streams(
        chunk({ role: "assistant" }),
        toolCallChunk(0, { id: "call-1", name: tool, arguments: call }),
        chunk({}, { finish_reason: "tool_calls" }),
      ),
    );
    await using service = await startService(undefined, [...modelAt(model.baseUrl), "--sandbox", sandbox]);
    await createRun(service, { input_text: "Compute." });
    const pid = service.child.pid ?? 0;
    await expect.poll(() => Math.max(...descendants(pid).map(ticks)), { timeout: 20_000 }).toBeGreaterThan(100);
    const programs = descendants(pid);
    await service.end("SIGKILL");
    await expect.poll(() => programs.filter((each) => existsSync(`/proc/${each}`))).toEqual([]);
  },
);
