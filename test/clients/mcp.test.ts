import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { run } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { type Service, startService } from "../integration/service.ts";
import { python } from "./python.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

interface Received {
  instructions: string;
  tools: string[];
  report: { status: string; output: string; files: { name: string }[] };
  polls: number;
  tasks: boolean[];
  file: string;
  missing: [isError: boolean, text: string];
}

/** The run that mcp_client.py asks for at the end. */
const unknownRun = "00000000-0000-4000-8000-000000000000";

test.each(["legacy", "auto", "tasks"])("the Python client uses the MCP endpoint: %s", async (mode) => {
  const program = join(root, "test/clients/mcp_client.py");
  const { status, stdout, stderr } = await run(await python("python"), [
    program,
    service.baseUrl,
    service.apiKey,
    mode,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr });
  const received = JSON.parse(stdout) as Received;
  expect(received.instructions).toContain('the agent "Starter agent"');
  expect(received.tools).toContain("wait_for_run");
  expect(received.report).toMatchObject({ status: "finished", files: [{ name: "a.txt" }] });
  expect(received.report.output).toContain("a.txt: 2 lines, 2 words");
  expect(received.file).toBe("one\ntwo\n");
  expect(received.missing).toEqual([true, `run "${unknownRun}" does not exist`]);
  // With the extension, the call of start_run returns when the run has ended.
  expect([received.tasks, received.polls > 0]).toEqual(mode === "tasks" ? [[true], false] : [[], true]);
});

describe("docs/mcp.md", () => {
  const page = readFileSync(join(root, "docs/mcp.md"), "utf8");
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, code = ""]) => code);

  test("the configurations of editors name a server that a client can use", async () => {
    const configurations = blocks("json").map((text) => JSON.parse(forService(text)) as Record<string, unknown>);
    expect(configurations).toHaveLength(2);
    for (const { servers, mcpServers } of configurations) {
      type Servers = Record<string, { url: string; headers: Record<string, string> }>;
      const { "agent-runs": server } = (servers ?? mcpServers) as Servers;
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: server?.headers ?? {} };
      await client.connect(new StreamableHTTPClientTransport(new URL(server?.url ?? ""), { requestInit }));
      expect((await client.listTools()).tools).toHaveLength(7);
      await client.close();
    }
  });

  test.each([
    ["ts", "The input has 16 characters"],
    ["python", "sales.csv: 3 lines"],
  ])("the program in %s prints the output of its run", async (language, output) => {
    const [program, ...others] = blocks(language);
    expect(others).toEqual([]);
    const code = forService(program ?? "");
    const env = { ...process.env, AGENT_RUN_KEY: service.apiKey };
    const { status, stdout, stderr } =
      language === "ts"
        ? await run(process.execPath, ["--input-type=module-typescript", "-e", code], { env })
        : await run(await python("python"), ["-c", code], { env });
    expect({ status, stderr }).toEqual({ status: 0, stderr });
    expect(stdout).toContain(output);
  });
});

/** Puts the test's service in the place of the reader's. */
function forService(text: string): string {
  return text
    .replaceAll("http://127.0.0.1:8787", service.baseUrl)
    .replaceAll(/\$\{(env:AGENT_RUN_KEY|input:agent-run-key)\}/g, service.apiKey);
}
