import { afterAll, describe, expect, test } from "vitest";
import type { Message, Model } from "../../../src/agent/model.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { noCompanions } from "../../../src/runs/erase/companions.ts";
import { acceptInput, deleteRun } from "../../../src/runs/control/control-run.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { listRunFiles, readRunFile, type RunPoint } from "../../../src/runs/files/read-files.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { newRun, putAgent } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const local = temporaryStores();
afterAll(() => local[Symbol.dispose]());

const write = (id: string, content: string) => ({ id, name: "write_file", input: { name: "log.txt", content } });

/** In each of `steps` steps, two parallel calls write log.txt with the turn and step; then the turn ends. */
const writer =
  (steps: number): Model =>
  async ({ messages }) => {
    const start = messages.findLastIndex((message) => message.role === "user" && !message.note);
    const turn = messages.filter((message) => message.role === "user" && !message.note).length;
    const step = messages.slice(start).filter(({ role }: Message) => role === "assistant").length + 1;
    const toolCalls = step > steps ? [] : [write("a", "overwritten"), write("b", `step ${turn}.${step}`)];
    const usage = { inputTokens: 1, outputTokens: 1 };
    return { answer: { text: "Done.", toolCalls, finishReason: toolCalls.length > 0 ? "tool-calls" : "stop", usage } };
  };

describe.each<[string, () => Stores]>([
  ["on one machine", () => local],
  ["on AWS", () => fakeAwsStores()],
])("the files of a run %s", (_, open) => {
  const stores = open();
  const content = Buffer.from("uploaded");
  const upload = { name: "log.txt", size: content.length, sha256: sha256Of(content) };

  async function run(id: string, steps: number, fileVersions: number): Promise<void> {
    if (!(await stores.accounts.findAgent("A"))) await putAgent(stores);
    await stores.workspace.write(id, [{ sha256: upload.sha256, content }]);
    await newRun(stores, id, Date.now(), "Go", [upload]);
    await advanceTurn(id, 1, steps, fileVersions);
  }

  async function advanceTurn(runId: string, turn: number, steps: number, fileVersions: number): Promise<void> {
    const openModel = async () => ({ model: writer(steps), name: "m", provider: "p" });
    const deps = { ...stores, openModel, fileVersions, now: Date.now, secretOf: async () => undefined };
    const budget = { signal: new AbortController().signal, deadline: Infinity };
    expect(await advance(deps, { runId, turn }, budget)).toEqual({ done: true, turn });
  }

  const textAt = async (id: string, at?: RunPoint): Promise<string> =>
    Buffer.from((await readRunFile(stores, id, "log.txt", at)).content).toString();

  test("are those of each step, with the hash of the manifest that the result recorded", async () => {
    await run("steps", 3, 20);
    await acceptInput({ ...stores, workflow: externalWorkflow, now: Date.now }, "steps", "Again.");
    await advanceTurn("steps", 2, 2, 20);
    expect(await textAt("steps", { turn: 1, step: 0 })).toBe("uploaded");
    expect(await textAt("steps", { turn: 1, step: 2 })).toBe("step 1.2");
    expect(await textAt("steps", { turn: 2, step: 0 })).toBe("step 1.3");
    expect(await textAt("steps", { turn: 2, step: 1 })).toBe("step 2.1");
    expect(await textAt("steps")).toBe("step 2.2");
    const { manifest } = await listRunFiles(stores, "steps");
    expect(manifest).toBe(sha256Of(Buffer.from(JSON.stringify([["log.txt", sha256Of(Buffer.from("step 2.2"))]]))));
    const recorded = (await stores.runs.load("steps"))?.journal.findLast((entry) => entry.part === "result");
    expect(recorded).toMatchObject({ part: "result", manifest });
  });

  test("at a step that does not exist, and a name that is no file, are errors", async () => {
    await run("errors", 1, 20);
    for (const at of [
      { turn: 0, step: 1 },
      { turn: 1, step: 3 },
      { turn: 2, step: 0 },
    ]) {
      await expect(listRunFiles(stores, "errors", at)).rejects.toThrow(`has no step ${at.turn}.${at.step}`);
    }
    await expect(readRunFile(stores, "errors", "b.txt")).rejects.toThrow('has no file "b.txt"');
    await expect(listRunFiles(stores, "never")).rejects.toThrow('run "never" does not exist');
  });

  test("have a number of old versions; the upload and the current version are always kept", async () => {
    await run("bounded", 4, 2);
    await acceptInput({ ...stores, workflow: externalWorkflow, now: Date.now }, "bounded", "Again.");
    await advanceTurn("bounded", 2, 2, 2);
    expect(await textAt("bounded")).toBe("step 2.2");
    expect(await textAt("bounded", { turn: 1, step: 0 })).toBe("uploaded");
    await expect.poll(() => textAt("bounded", { turn: 1, step: 3 }).catch(String)).toContain("no longer kept");
    expect(await textAt("bounded", { turn: 2, step: 1 })).toBe("step 2.1");
  });

  test("are deleted with the run", async () => {
    await run("deleted", 2, 20);
    await deleteRun({ ...stores, companions: noCompanions, workflow: externalWorkflow, now: Date.now }, "deleted");
    expect((await listRunFiles(stores, "deleted")).files).toEqual([]);
    expect(await stores.workspace.read("deleted", upload.sha256)).toBeUndefined();
  });
});
