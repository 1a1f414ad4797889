import { expect, it } from "vitest";
import type { Model, ModelRequest } from "../../../src/agent/model.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, turn } from "./scripted.ts";

const tool = (name: string, server?: string): Tool => ({
  definition: { name, description: "d", input: { type: "object" } },
  ...(server !== undefined && { origin: { server, tool: name } }),
  run: async () => ({ text: "ok" }),
});

const refused = "The provider answered 400: Invalid schema.";

/** A model that refuses tools, one after the other, calls `fine`, and then answers. */
function strict(...bad: string[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    const found = bad.find((name) => request.tools.some((each) => each.name === name));
    if (found !== undefined) {
      const failure = { category: "model_refused", title: refused, remedy: "Repair it.", retryable: false } as const;
      return { failure, refusedTools: [found] };
    }
    const done = request.messages.some(({ role }) => role === "assistant");
    return done ? answer("Done.") : answer("", [call("1", "fine", {})]);
  };
  return { model, requests };
}

const namesIn = (requests: ModelRequest[]) => requests.map(({ tools }) => tools.map(({ name }) => name).join());

it("tools of MCP servers that the provider refuses are left out for the rest of the turn, also by a later invocation", async () => {
  const tools = [tool("fine"), tool("s__a", "s"), tool("s__b", "s")];
  const { model, requests } = strict("s__b", "s__a");
  const { input, ports, records } = turn(model, { ports: { tools } });
  expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
  expect(namesIn(requests)).toEqual(["fine,s__a,s__b", "fine,s__a", "fine", "fine"]);
  const answered = records.filter(({ part }) => part === "answer");
  expect(answered).toMatchObject([
    { refused: ["s__b", "s__a"], note: expect.stringContaining("s__a: The model's provider") },
  ]);
  expect(records.filter(({ part }) => part === "failed")).toMatchObject([
    { last: true },
    { last: true, refused: ["s__b"] },
  ]);

  const later = strict("s__b", "s__a");
  const resumed = turn(later.model, { input: { journal: records }, ports: { tools } });
  expect(await runTurn(resumed.input, resumed.ports)).toMatchObject({ kind: "done", text: "Done." });
  expect(namesIn(later.requests)).toEqual(["fine"]);
});

it("a turn fails when the provider refuses a tool of the service, or more than ten", async () => {
  const own = strict("fine");
  const one = turn(own.model, { ports: { tools: [tool("fine")] } });
  expect(await runTurn(one.input, one.ports)).toMatchObject({ kind: "failed", failure: { title: refused } });
  expect(own.requests).toHaveLength(1);

  const names = Array.from({ length: 12 }, (_, n) => `s__${n}`);
  const all = strict(...names);
  const two = turn(all.model, { ports: { tools: names.map((name) => tool(name, "s")) } });
  expect(await runTurn(two.input, two.ports)).toMatchObject({ kind: "failed", failure: { title: refused } });
  expect(all.requests).toHaveLength(11);
});
