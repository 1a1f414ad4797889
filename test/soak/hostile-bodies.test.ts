import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uploadHostings } from "../../lib/front-door/hosting.ts";
import { createRun, newDataDir, read, type Service, startService } from "../integration/service.ts";

const MiB = 1024 * 1024;
const bytes = 19 * MiB;

/** Values of an unknown field that would each need gigabytes of memory, or seconds of the processor for all 20. */
const values: Record<string, () => string> = {
  "nested arrays": () => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "nested objects": () => '{"":'.repeat(bytes / 4),
  "long integers": () => `[${"12345678901234567890,".repeat(bytes / 21)}1]`,
  "distinct keys": () => `{${Array.from({ length: bytes / 13 }, (_, index) => `"${index}":1`).join(",")}}`,
  "empty arrays": () => `[${"[],".repeat(bytes / 3)}1]`,
  "empty strings": () => `[${'"",'.repeat(bytes / 3)}1]`,
  "escapes and an error": () => `"${"\\n".repeat(bytes / 2)}\\q"`,
  "one number": () => "1".repeat(bytes),
};

/** The smallest heap of a hosting: bodies that it holds fit into a larger one, too. */
const heap = Math.min(...Object.values(uploadHostings).map((hosting) => hosting.heap));

describe(`a server with a heap of ${heap} MB`, () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(newDataDir(), [], { NODE_OPTIONS: `--max-old-space-size=${heap}` });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function send(body: Buffer): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
    const response = await fetch(`${service.baseUrl}/v1/agents`, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  }

  /**
   * Sends 20 bodies at once, and polls a run until all have a response. Prints the times of the polls. They include the
   * time in which this process sends.
   */
  async function sendAndPoll(body: Buffer, name: string): Promise<{ status: number; text: string }[]> {
    const run = await createRun(service, {});
    const milliseconds: number[] = [];
    const progress = { done: false };
    const sent = Promise.all(Array.from({ length: 20 }, () => send(body))).finally(() => (progress.done = true));
    while (!progress.done) {
      const started = performance.now();
      await read(service, run);
      milliseconds.push(performance.now() - started);
      await sleep(5);
    }
    milliseconds.sort((a, b) => a - b);
    const [p50, p99, max] = [0.5, 0.99, 1].map((part) =>
      Math.round(milliseconds[Math.ceil(part * milliseconds.length) - 1] ?? 0),
    );
    console.log(`20 x ${name}: ${milliseconds.length} polls, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`);
    return sent;
  }

  test.for(Object.entries(values))("answers 422 to 20 bodies with %s", async ([name, value]) => {
    const body = `{"name": "n", "template_id": "${service.templateId}", "x": ${value()}}`;
    for (const { status, text } of await sendAndPoll(Buffer.from(body), name)) {
      expect(status).toBe(422);
      expect(JSON.parse(text)).toMatchObject({ detail: [{ type: "json_invalid" }] });
    }
  });

  test("creates a run for each of 20 bodies of 14 MB", async () => {
    const content_base64 = Buffer.alloc(MiB, "one MiB ").toString("base64");
    const files = Array.from({ length: 10 }, (_, index) => ({ filename: `${index}.txt`, content_base64 }));
    const body = Buffer.from(JSON.stringify({ name: "n", template_id: service.templateId, files }));
    for (const { status } of await sendAndPoll(body, "14 MB of files")) expect(status).toBe(201);
  });

  test("accepts an input text of 19 MiB, and continues", async () => {
    const body = { name: "n", template_id: service.templateId, input_text: "long text ".repeat(bytes / 10) };
    expect((await send(Buffer.from(JSON.stringify(body)))).status).toBe(201);
    await createRun(service, { input_text: "after" });
    expect(service.child.exitCode).toBe(null);
  });
});
