import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../src/ext/call.ts";
import { freePort } from "../support/free-port.ts";
import { done } from "./admin.ts";
import { newDataDir, type Service, startService } from "./service.ts";
import { tinyGguf } from "./tiny-gguf.ts";

/*
 * Typed results with the real server of llama.cpp, if there is one: `llama-server` on the PATH, or LLAMA_SERVER. The model is made
 * here. The input of a run says what the model says in each of its answers.
 */

const program = process.env["LLAMA_SERVER"] ?? "llama-server";
const isInstalled = spawnSync(program, ["--version"]).status === 0;

const result = (total: number) => JSON.stringify({ total, currency: "EUR" });
const calls = (name: string, args: string) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
const texts = {
  text: "The total is 12.",
  twelve: result(12),
  fifteen: result(15),
  "submit-12": calls("submit_result", result(12)),
  "submit-15": calls("submit_result", result(15)),
  list: calls("list_files", "{}"),
};
/** The word of the input after `plan:` for this answer, as the token that asks for its text. */
const chatTemplate = `{%- set ns = namespace(n=0, plan='') -%}
{%- if tools -%}<tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools>{%- endif -%}
{%- for m in messages -%}
[{{ m.role }}]{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}</s>
{%- if m.role == 'assistant' %}{% set ns.n = ns.n + 1 %}{% endif -%}
{%- if m.role == 'user' and m.content and 'plan: ' in m.content %}{% set ns.plan = m.content.split('plan: ')[1] %}{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}[assistant]{% if ns.plan %}<|{{ ns.plan.split(' ')[ns.n] }}|>{% endif %}{%- endif -%}`;

/** llama.cpp knows no `multipleOf`: its grammar lets 12 pass, and the service does not. */
const schema = {
  type: "object",
  properties: { total: { type: "number", multipleOf: 5 }, currency: { enum: ["EUR", "USD"] } },
  required: ["total", "currency"],
};

describe.skipIf(!isInstalled)("the server of llama.cpp", () => {
  const folder = mkdtempSync(join(tmpdir(), "llama-"));
  let stopServer: () => Promise<void>;
  let service: Service;
  let baseUrl: string;
  beforeAll(async () => {
    const model = join(folder, "tiny.gguf");
    writeFileSync(model, tinyGguf(texts, chatTemplate));
    const port = await freePort();
    const options = ["--jinja", "--ctx-size", "16384", "--parallel", "1", "--threads", "1", "--no-warmup"];
    const server = spawn(program, ["--model", model, "--port", String(port), ...options], { stdio: "ignore" });
    stopServer = async () => {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await new Promise((end) => server.once("exit", end));
    };
    baseUrl = `http://127.0.0.1:${port}/v1`;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`);
      await sleep(50);
    }
    service = await startService(newDataDir(), [
      "--model",
      "openai-compatible",
      "--model-base-url",
      baseUrl,
      "--model",
      "tiny",
    ]);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await stopServer?.();
    rmSync(folder, { recursive: true });
  });

  /** The key of an agent with this schema, whose model is asked in this format. */
  async function agentOf(format: string, definition: object): Promise<string> {
    const { dataDir } = service;
    const file = join(folder, "agent.json");
    writeFileSync(file, JSON.stringify({ name: "Typed", instructions: "Add up.", tools: [], ...definition }));
    const { id: org } = await done(dataDir, "org", "create", "--name", format);
    const model = ["--provider", "openai-compatible", "--base-url", baseUrl, "--model", "tiny"];
    await done(dataDir, "org", "set-model", org, ...model, "--compat", `resultFormat=${format}`);
    const { id } = await done(dataDir, "agent", "create", "--org", org, "--file", file);
    return (await done(dataDir, "key", "create", "--agent", id)).key;
  }

  /** A finished run whose model answers with these texts, and its answers. */
  async function play(plan: string, format: string, definition: object = { result: { schema } }) {
    const headers = {
      authorization: `Bearer ${await agentOf(format, definition)}`,
      "content-type": "application/json",
    };
    const call = async (path: string, body?: object) => {
      const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
      return (await fetch(`${service.baseUrl}/ext/v1/runs${path}`, { headers, ...options })).json();
    };
    const { id } = (await call("", { name: plan, input_text: `plan: ${plan}` })) as Schemas["Run"];
    const run = (await call(`/${id}?wait=20`)) as Schemas["RunDetail"];
    const { data } = (await call(`/${id}/events`)) as Schemas["EventPage"];
    const answers = data.filter((event) => event.type === "model_call");
    return {
      run,
      answers,
      texts: answers.map(({ text }) => text),
      problems: answers.map((each) => each.result_problems?.length),
    };
  }

  const list = { tools: ["list_files"], result: { schema } };

  test("answers in its native format with a result that fits", async () => {
    const { run, answers } = await play("fifteen", "native");
    expect(run).toMatchObject({ status: "finished", result: { total: 15, currency: "EUR" }, result_error: null });
    expect(answers).toMatchObject([{ usage: { output_tokens: 2 }, estimated_usage: null }]);
  });

  test("is made to answer in its native format, whatever the model wants to say", async () => {
    const { texts: said } = await play("text text", "native");
    for (const text of said) expect(JSON.parse(text)).toMatchObject({ currency: expect.stringMatching(/^(EUR|USD)$/) });
  });

  test("corrects a result (native)", async () => {
    const { run, texts: said, problems } = await play("twelve fifteen", "native");
    expect(run).toMatchObject({ result: { total: 15, currency: "EUR" } });
    expect([said, problems]).toEqual([
      [texts.twelve, texts.fifteen],
      [1, 0],
    ]);
  });

  test("ends without a result after two that do not fit (native)", async () => {
    const { run, problems } = await play("twelve twelve", "native");
    expect(run).toMatchObject({ status: "finished", result: null, result_error: { problems: [{ place: "/total" }] } });
    expect(problems).toEqual([1, 1]);
  });

  test("submits a result with the tool, after another tool", async () => {
    const { run, answers } = await play("list submit-15", "tool", list);
    expect(run).toMatchObject({ status: "finished", result: { total: 15, currency: "EUR" }, result_error: null });
    expect(answers).toMatchObject([{ tool_calls: [{ name: "list_files" }] }, { text: texts.fifteen, tool_calls: [] }]);
  });

  test.each([["submit-12"], ["text"]])("corrects a result (tool, first %s)", async (first) => {
    const { run, problems } = await play(`${first} submit-15`, "tool", list);
    expect(run).toMatchObject({ result: { total: 15, currency: "EUR" } });
    expect(problems).toEqual([1, 0]);
  });

  test("ends without a result after two that do not fit (tool)", async () => {
    const { run, problems } = await play("submit-12 text", "tool");
    expect(run).toMatchObject({ status: "finished", result: null, result_error: { problems: [{ place: "" }] } });
    expect(problems).toEqual([1, 1]);
  });

  test("calls no tool in its native format", async () => {
    const { run, answers } = await play("list fifteen", "native", list);
    expect(run.status).toBe("finished");
    for (const answer of answers) expect(answer).toMatchObject({ tool_calls: [], text: expect.stringMatching(/^\{/) });
  });

  test("ends a run with its own words about a schema that it rejects in both formats", async () => {
    const properties = { ...schema.properties, parts: { type: "array", items: { $ref: "#" } } };
    const { run } = await play("submit-15", "native", { result: { schema: { ...schema, properties } } });
    expect(run.status).toBe("technical_error");
    expect(run.failure).toMatchObject({
      category: "model_refused",
      title: expect.stringContaining("unsupported $ref #"),
    });
  });
});
