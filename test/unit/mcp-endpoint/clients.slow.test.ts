import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginUpload, receiveUpload } from "../../../src/runs/files/pending-uploads.ts";
import { scriptedModel } from "../../browser/scripted-model.ts";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { deletedFile, folderFiles, folderRun } from "../../support/folder-run.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const newUuid = "0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6";
const longOutput = "x".repeat(49_999) + "😀 the end";

let release: () => void;
const model = await scriptedModel((input, step) => {
  if (input.startsWith("fail")) return { status: 401, text: "invalid api key" };
  if (input.startsWith("long")) return { text: longOutput };
  if (input.startsWith("hold")) return { text: "released", until: new Promise<void>((resolve) => (release = resolve)) };
  if (input.startsWith("write") && step === 1) {
    return { calls: [{ name: "write_file", arguments: { name: "report.md", content: "# Report\n".repeat(10_000) } }] };
  }
  return { text: `Done with: ${input.split("\n")[0]}` };
});

let service: ManageService;
beforeAll(async () => {
  service = await manageService({
    model: { enabled: true, provider: "openai-compatible", baseUrl: model.baseUrl, model: "m" },
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model.close();
});

describe.each(["legacy", "auto"] as const)("a client with protocol version %s", (mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(service, mode);
    return () => client.close();
  });

  const start = async (input: string, files: object[] = []): Promise<string> => {
    const { structured } = await callTool(client, "start_run", { name: "Test", input_text: input, files });
    return String(structured["run_id"]);
  };
  const wait = (run_id: string, seconds?: number) => callTool(client, "wait_for_run", { run_id, seconds });

  test("learns from the instructions which agent there is and how to wait", async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    expect(client.getInstructions()).toContain('the agent "Starter agent"');
    expect(client.getInstructions()).toContain("wait_for_run waits up to 50 s");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "start_run",
      "wait_for_run",
      "get_run",
      "send_input",
      "stop_run",
      "list_files",
      "read_file",
    ]);
    expect(tools.flatMap(({ name, outputSchema }) => (outputSchema ? [] : name))).toEqual(["read_file"]); // docs/mcp.md
    const [startRun] = tools;
    expect(startRun?.description).toContain('the agent "Starter agent"');
    expect(startRun?.description).toContain("10 files, with 10 MiB in total");
    // Models read the first in every conversation. Output schemas are for the programs of clients.
    expect(JSON.stringify(tools.map(({ outputSchema: _ofPrograms, ...read }) => read)).length).toBeLessThan(6_000);
    expect(JSON.stringify(tools).length).toBeLessThan(11_000);
  });

  test("lists and reads files in folders", async () => {
    const { organizationId = "" } = (await service.platform.accounts.findAgent(service.templateId)) ?? {};
    const run_id = await folderRun(service.platform, { agentId: service.templateId, organizationId });
    const list = await callTool(client, "list_files", { run_id });
    const files = list.structured["files"] as { name: string }[];
    expect(files.map(({ name }) => name)).toEqual(Object.keys(folderFiles));
    const below = await callTool(client, "list_files", { run_id, prefix: "reports/2026/" });
    expect(below.structured).toMatchObject({ total: 1, files: [{ name: "reports/2026/März 100%.csv" }] });
    for (const [name, text] of Object.entries(folderFiles)) {
      expect((await callTool(client, "read_file", { run_id, name })).text).toBe(text);
    }
    expect(await callTool(client, "read_file", { run_id, name: deletedFile })).toMatchObject({ isError: true });
  });

  test("starts a run with files, waits for it, reads what it wrote, and continues it", async () => {
    const files = [
      { filename: "letters/notes.txt", text: "Grüße" },
      { filename: "chart.png", content_base64: png },
    ];
    const started = await callTool(client, "start_run", { name: "Report", input_text: "write a report", files });
    expect(started.text).toContain("Call wait_for_run with this run_id");
    const run_id = String(started.structured["run_id"]);

    const { text, structured } = await wait(run_id);
    expect(structured).toMatchObject({
      run_id,
      name: "Report",
      status: "finished",
      steps: 2,
      output: "Done with: write a report",
      finish_reason: "completed",
      failure: null,
      activity: null,
    });
    expect(structured["files"]).toEqual([
      { name: "chart.png", size: 70 },
      { name: "notes.txt", size: 7 },
      { name: "report.md", size: 90_000 },
    ]);
    expect(text).toContain("Output:\nDone with: write a report\nFiles: chart.png (70 bytes), notes.txt (7 bytes)");

    const list = await callTool(client, "list_files", { run_id });
    expect(list.structured["files"]).toEqual([
      { kind: "file", name: "chart.png", size: 70, sent_as: null, changed_at_step: null },
      { kind: "file", name: "notes.txt", size: 7, sent_as: "letters/notes.txt", changed_at_step: null },
      { kind: "file", name: "report.md", size: 90_000, sent_as: null, changed_at_step: "1.1" },
    ]);
    expect(list.text).toContain('notes.txt (7 bytes, sent as "letters/notes.txt")');
    const read = (name: string, offset?: number) => callTool(client, "read_file", { run_id, name, offset });
    expect((await read("notes.txt")).text).toBe("Grüße");
    const first = await read("report.md");
    expect(first.structured).toMatchObject({ size: 90_000, next_offset: 50_000 });
    expect(first.text).toContain("[report.md continues: read_file with offset 50000; it has 90000 characters]");
    const second = await read("report.md", 50_000);
    expect(String(first.structured["text"]) + String(second.structured["text"])).toBe("# Report\n".repeat(10_000));
    expect((await read("chart.png")).content[1]).toEqual({ type: "image", data: png, mimeType: "image/png" });
    expect(await read("missing.txt")).toMatchObject({
      isError: true,
      text: 'the run has no file "missing.txt"; list_files returns the names',
    });

    await callTool(client, "send_input", { run_id, input_text: "and now in French" });
    expect((await wait(run_id)).structured).toMatchObject({ turn: 2, output: "Done with: and now in French" });
  });

  test("gets what the run does when the time to wait is over, and can stop it", async () => {
    const run_id = await start("hold on");
    const waiting = wait(run_id, 1);
    await expect.poll(() => typeof release).toBe("function");
    const { structured, text } = await waiting;
    expect(structured).toMatchObject({ status: "running", activity: "step 1: calls the model", output: null });
    expect(text).toContain("running, step 1: calls the model");
    expect(String(structured["next"])).toContain("Call wait_for_run");
    await callTool(client, "send_input", { run_id, input_text: "next" });
    expect((await callTool(client, "get_run", { run_id })).structured).toMatchObject({ queued_inputs: 1 });
    expect((await callTool(client, "stop_run", { run_id })).structured).toMatchObject({ status: "terminated" });
    release();
    expect((await wait(run_id)).structured).toMatchObject({ status: "terminated", output: null });
    expect(await callTool(client, "send_input", { run_id, input_text: "again" })).toMatchObject({ isError: true });
  });

  test("is told what a run does while it waits, if it asks for it", async () => {
    const run_id = await start("hold progress");
    const told: { progress: number; message?: string | undefined }[] = [];
    const onprogress = (progress: (typeof told)[number]): void => {
      told.push(progress);
      if (told.at(-1)?.message?.includes("calls the model")) release();
    };
    const waiting = client.callTool({ name: "wait_for_run", arguments: { run_id } }, { onprogress });
    expect((await waiting).structuredContent).toMatchObject({ status: "finished", output: "released" });
    expect(told.map(({ message }) => message)).toContain("running, 0 steps, step 1: calls the model");
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
  });

  test("gets the reason and the remedy of a run that fails", async () => {
    const { structured, text } = await wait(await start("fail"));
    expect(structured).toMatchObject({ status: "technical_error", output: null });
    const { title, remedy } = structured["failure"] as { title: string; remedy: string };
    expect(title.length).toBeGreaterThan(10);
    expect(text).toContain(`Failure: ${title}. Remedy: ${remedy}`);
  });

  test("reads a long output in pieces that cut no character", async () => {
    const run_id = await start("long");
    const { structured } = await wait(run_id);
    expect(structured).toMatchObject({ output: "x".repeat(49_999), output_next_offset: 49_999 });
    const rest = await callTool(client, "get_run", { run_id, output_offset: 49_999 });
    expect(rest.structured).toMatchObject({ output: "😀 the end", output_next_offset: null });
  });

  test("gets the address of a file that is too large for a result", async () => {
    const zip = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.alloc(600 * 1024)]).toString("base64");
    const run_id = await start("look", [{ filename: "my data.zip", content_base64: zip }]);
    const { text, structured } = await callTool(client, "read_file", { run_id, name: "my data.zip" });
    const url = `${service.baseUrl}/ext/v1/runs/${run_id}/files/my%20data.zip`;
    expect(structured).toEqual({ name: "my data.zip", size: 614_404, url });
    expect(text).toContain(url);
  });

  test("starts a run with a file that was uploaded before", async () => {
    const content = Buffer.from("Sent before");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const { accounts, runs, pendingUploads } = service.platform;
    const deps = { accounts, runs, pendingUploads, now: Date.now };
    const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
    const owner = { agentId: service.templateId, organizationId };
    const named = { name: "sent.txt", size: content.length, sha256 };
    const { id } = await beginUpload({ ...deps, maxBytes: 100 }, owner, named);
    const incoming = { length: content.length, chunks: Readable.from([content]) };
    await receiveUpload({ ...deps, receive: pendingUploads.receive }, [service.templateId], id, incoming);
    const started = await callTool(client, "start_run", { name: "Uploads", input_text: "look", uploads: [id] });
    const run_id = String(started.structured["run_id"]);
    expect((await callTool(client, "read_file", { run_id, name: "sent.txt" })).text).toBe("Sent before");
    const unknown = await callTool(client, "start_run", { name: "Uploads", input_text: "look", uploads: [newUuid] });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining("does not exist or has expired")]);
  });

  test("gets the same run for a repeated start with an idempotency key", async () => {
    const input = { name: "Once", input_text: "look", files: [], idempotency_key: `key of ${mode}` };
    const [first, second] = [await callTool(client, "start_run", input), await callTool(client, "start_run", input)];
    expect(second.structured["run_id"]).toBe(first.structured["run_id"]);
    const other = await callTool(client, "start_run", { ...input, input_text: "look again" });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining("idempotency key")]);
  });

  test("sends an input once, with an idempotency key", async () => {
    const started = await callTool(client, "start_run", { name: "Once", input_text: "look", files: [] });
    const input = { run_id: started.structured["run_id"], input_text: "more", idempotency_key: "my key" };
    for (const turn of [2, 2]) {
      await callTool(client, "send_input", input);
      const { status } = (await callTool(client, "wait_for_run", { run_id: input.run_id })).structured;
      const transcript = await service.platform.runs.load(String(input.run_id));
      expect([status, transcript?.run.turn]).toEqual(["finished", turn]);
    }
    const other = await callTool(client, "send_input", { ...input, input_text: "other" });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining("idempotency key")]);
  });

  test("reads the error of wrong arguments", async () => {
    const valid = { name: "Test", input_text: "x" };
    const file = { filename: "a.txt", text: "" };
    const wrong = "Input validation error: Invalid arguments for tool";
    for (const [tool, input, problem] of [
      ["start_run", { ...valid, files: [{ filename: "a.txt" }] }, 'file "a.txt": give either text or content_base64'],
      [
        "start_run",
        { ...valid, files: [{ ...file, content_base64: "AAAA" }] },
        'file "a.txt": give either text or content_base64',
      ],
      [
        "start_run",
        { ...valid, files: [{ filename: "a.txt", content_base64: "###" }] },
        "file 'a.txt' is not valid base64",
      ],
      [
        "start_run",
        { ...valid, files: Array.from({ length: 11 }, () => file) },
        `${wrong} start_run: files: must NOT have more than 10 items`,
      ],
      [
        "start_run",
        { ...valid, files: [file], uploads: Array.from({ length: 10 }, () => newUuid) },
        "files and uploads are 11 together; at most 10 are accepted",
      ],
      [
        "start_run",
        { name: "T", input: "x" },
        `${wrong} start_run: must have required property 'input_text', must NOT have additional properties: "input"`,
      ],
      ["start_run", { ...valid, files: [{ ...file, text: 3 }] }, `${wrong} start_run: files.0.text: must be string`],
      ["wait_for_run", { run_id: newUuid, seconds: 0 }, `${wrong} wait_for_run: seconds: must be >= 1`],
      ["get_run", { run_id: "x" }, `${wrong} get_run: run_id: must match format "uuid"`],
      ["get_run", { run_id: newUuid }, `run "${newUuid}" does not exist`],
    ] as const) {
      const { isError, text } = await callTool(client, tool, input);
      expect([isError, text]).toEqual([true, problem]);
    }
  });
});
