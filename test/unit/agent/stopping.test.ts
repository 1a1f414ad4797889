import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, openFiles, scripted, spaceOf, turn } from "./scripted.ts";

const write = (id: string, name: string) => call(id, "write_file", { name, content: name });

describe("pausing and stopping", () => {
  it("starts no step after the deadline, but completes a step whose answer is recorded", async () => {
    let now = 0;
    const { model, requests } = scripted([answer("", [write("1", "a.txt")]), answer("Done.")]);
    const slow: Model = (request) => {
      now = 100;
      return model(request);
    };
    const { input, ports, records } = turn(slow, { ports: { now: () => now }, input: { deadline: 100 } });
    expect(await runTurn(input, ports)).toEqual({ kind: "paused" });
    expect(records.map((record) => record.part)).toEqual(["answer", "result"]);
    expect(requests).toHaveLength(1);
  });

  it("stops when an entry is rejected, without executing the tools", async () => {
    const space = spaceOf();
    const { model } = scripted([answer("", [write("1", "a.txt")])]);
    const { input, ports } = turn(model, { space, ports: { record: async () => false } });
    expect(await runTurn(input, ports)).toEqual({ kind: "stopped" });
    expect(space.contents.size).toBe(0);
  });

  it("stops at once when the signal aborts, during a model call or a tool that ignores it", async () => {
    const deaf: Tool = { definition: { name: "deaf", description: "", input: {} }, run: () => new Promise(() => {}) };
    const models: Model[] = [() => new Promise(() => {}), scripted([answer("", [call("1", "deaf", {})])]).model];
    for (const model of models) {
      const stop = new AbortController();
      const { input, ports } = turn(model, { ports: { signal: stop.signal, tools: [deaf] } });
      const outcome = runTurn(input, ports);
      setImmediate(() => stop.abort());
      expect(await outcome).toEqual({ kind: "stopped" });
    }
  });

  it("passes its signal to the model", async () => {
    const stop = new AbortController();
    let seen: AbortSignal | undefined;
    const hanging: Model = ({ signal }) => {
      seen = signal;
      return new Promise(() => {});
    };
    const { input, ports } = turn(hanging, { ports: { signal: stop.signal } });
    const outcome = runTurn(input, ports);
    setImmediate(() => stop.abort(new Error("stopped by an operator")));
    await outcome;
    expect(seen?.reason).toEqual(new Error("stopped by an operator"));
  });

  it("rejects with a store error after all tool calls of the answer have ended", async () => {
    const slow = Promise.withResolvers<void>();
    let writes = 0;
    const contents = {
      read: async () => undefined,
      write: async () => {
        if (++writes === 1) throw new Error("store down");
        await slow.promise;
      },
      remove: async () => {},
    };
    const { model } = scripted([answer("", [write("1", "a.txt"), write("2", "b.txt")])]);
    const { input, ports, records } = turn(model, { ports: { files: openFiles(spaceOf(), [], { contents }) } });
    setImmediate(slow.resolve);
    await expect(runTurn(input, ports)).rejects.toThrow("store down");
    expect(records).toMatchObject([{ part: "answer" }, { part: "result", call: 1, files: [{ name: "b.txt" }] }]);
  });
});
