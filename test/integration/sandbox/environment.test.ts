import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { childProcessSandbox } from "../../../src/sandbox/child-process.ts";
import type { SandboxRequest } from "../../../src/sandbox/sandbox-types.ts";

const printsItsEnvironment = `
  process.on("message", (message) => process.send("load" in message ? { loaded: message.load } : {
    result: { output: JSON.stringify(process.env), written: [], notes: [] },
  }));
`;

const printsItsPriority = `
  const { getPriority } = await import("node:os");
  process.on("message", (message) => process.send("load" in message ? { loaded: message.load } : {
    result: { output: String(getPriority()), written: [], notes: [] },
  }));
`;

const printsItsLoads = `
  const loads = [];
  process.on("message", (message) => {
    if ("load" in message) loads.push(message.load);
    process.send("load" in message ? { loaded: message.load } : {
      result: { output: loads.join(), written: [], notes: [] },
    });
  });
`;

it("a sandbox process has loaded what checks results before the time of a check begins", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loads-"));
  const program = join(folder, "child.mjs");
  writeFileSync(program, printsItsLoads);
  const sandbox = childProcessSandbox({ program, readable: [], maxProcesses: 1 });
  const request: SandboxRequest = { engine: "result", program: "{}", files: [], seconds: 10 };
  const { output } = await sandbox.run(request, new AbortController().signal);
  sandbox.close();
  rmSync(folder, { recursive: true });
  expect(output).toBe("document,result");
});

it("a sandbox process has a lower priority than the service", async () => {
  const folder = mkdtempSync(join(tmpdir(), "priority-"));
  const program = join(folder, "child.mjs");
  writeFileSync(program, printsItsPriority);
  const sandbox = childProcessSandbox({ program, readable: [], maxProcesses: 1 });
  const request: SandboxRequest = { engine: "javascript", program: "", files: [], seconds: 10 };
  const { output } = await sandbox.run(request, new AbortController().signal);
  sandbox.close();
  rmSync(folder, { recursive: true });
  expect(output).toBe("10");
});

it.each([undefined, { LD_LIBRARY_PATH: "/var/lang/lib" }])(
  "a sandbox process has only the time zone and the environment %j",
  async (environment) => {
    const folder = mkdtempSync(join(tmpdir(), "environment-"));
    const program = join(folder, "child.mjs");
    writeFileSync(program, printsItsEnvironment);
    const sandbox = childProcessSandbox({
      program,
      readable: [],
      maxProcesses: 1,
      ...(environment && { environment }),
    });
    const request: SandboxRequest = { engine: "javascript", program: "", files: [], seconds: 10 };
    const { output } = await sandbox.run(request, new AbortController().signal);
    sandbox.close();
    rmSync(folder, { recursive: true });
    // Set by Node.js for the channel to its parent.
    const {
      NODE_CHANNEL_FD: _,
      NODE_CHANNEL_SERIALIZATION_MODE: __,
      ...rest
    } = JSON.parse(output) as object & {
      NODE_CHANNEL_FD?: string;
      NODE_CHANNEL_SERIALIZATION_MODE?: string;
    };
    expect(rest).toEqual({ TZ: "UTC", ...environment });
  },
);
