import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../deploy/processes.ts";
import { done } from "../../integration/admin.ts";
import { root } from "../../integration/script.ts";
import { type Service, startService } from "../../integration/service.ts";
import { frameworks as installed } from "../installations.ts";

let service: Service;
let python: string;
let keys: string[];
beforeAll(async () => {
  python = join(await installed(), "python");
  service = await startService();
  const { dataDir } = service;
  const { id } = await done(dataDir, "agent", "create", "--file", "examples/assistant.json");
  const { key: second } = await done(dataDir, "key", "create", "--agent", id);
  keys = [service.apiKey, second];
  return () => service[Symbol.asyncDispose]();
});

/** The last one takes one tool of each name. */
const frameworks = ["openai-agents", "pydantic-ai", "langchain"];

const use = (framework: string, queries: string[]) =>
  run(python, [join(root, "test/clients/frameworks/two_agents.py"), framework, service.baseUrl, ...keys, ...queries]);

describe("two agents in one client", () => {
  test.each(frameworks)("with prefixes, each tool starts runs of its agent: %s", async (framework) => {
    const { status, stdout, stderr } = await use(framework, ["?prefix=sales", "?prefix=research"]);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { tools, runs } = JSON.parse(stdout) as { tools: string[]; runs: { run_id: string }[] };
    expect([tools.length, new Set(tools).size]).toEqual([14, 14]);
    expect(runs).toHaveLength(2);
    for (const [index, { run_id }] of runs.entries()) {
      const response = await fetch(`${service.baseUrl}/ext/v1/runs/${run_id}`, {
        headers: { authorization: `Bearer ${keys[index]}` },
      });
      expect(await response.json()).toMatchObject({ name: `By ${["sales", "research"][index]}_start_run` });
    }
  });

  test.each(frameworks.slice(0, 2))("without prefixes, the names are rejected: %s", async (framework) => {
    const { status, stderr } = await use(framework, ["", ""]);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/start_run/);
  });
});
