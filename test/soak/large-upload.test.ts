import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { finished, modelAt, newDataDir, startService } from "../integration/service.ts";

const MiB = 1024 * 1024;
const line = (number: number): string => `${number},2026-11-22,sensor ${number % 97},${(number * 7_919) % 100_003}\n`;

/** A table of about this size, with the number of its lines. */
function table(bytes: number): { content: Buffer; lines: number } {
  const parts: string[] = [];
  let [length, lines] = [0, 0];
  while (length < bytes) {
    const next = line(++lines);
    parts.push(next);
    length += next.length;
  }
  return { content: Buffer.from(parts.join("").slice(0, bytes)), lines };
}

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

const megabytes = 100;

test.skipIf(process.platform !== "linux")(`a file of ${megabytes} MiB is uploaded, read and downloaded`, async () => {
  const { content, lines } = table(megabytes * MiB);
  const middle = Math.floor(lines / 2);
  const found = line(lines - 1).trimEnd();
  await using model = await chatServer(
    callsTool("read_file", { name: "big.csv", offset: middle, limit: 2 }),
    callsTool("search_files", { pattern: `^${lines - 1},`, glob: "*.csv" }),
    callsTool("run_javascript", {
      code: 'readFile("big.csv").trim().split("\\n").length + " rows, last " + readFile("big.csv").trim().split("\\n").at(-1)',
      files: ["big.csv"],
      lines: `${middle}-${middle + 99_999}`,
    }),
    callsTool("run_javascript", { code: "1" }),
    answersWithResult,
  );
  await using service = await startService(newDataDir(), modelAt(model.baseUrl));
  const { baseUrl, apiKey, child } = service;
  const send = (path: string, init: object = {}) =>
    fetch(`${baseUrl}/ext/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` }, ...init });
  const post = async (path: string, body: object): Promise<{ [field: string]: string }> => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const response = await send(path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(201);
    return (await response.json()) as { [field: string]: string };
  };
  const peak = (): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_024;

  const { upload_id } = await post("/uploads", { filename: "big.csv", size: content.length, sha256: hashOf(content) });
  const puts = Array.from({ length: 4 }, () => send(`/uploads/${upload_id}`, { method: "PUT", body: content }));
  expect((await Promise.all(puts)).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  const idle = await post("/runs", { name: "only files", uploads: [upload_id] });
  const downloaded = await send(`/runs/${idle["id"]}/files/big.csv`);
  const hash = createHash("sha256");
  for await (const chunk of downloaded.body ?? []) hash.update(chunk as Uint8Array);
  expect(hash.digest("hex")).toBe(hashOf(content));
  const transfers = peak();

  const run = await post("/runs", { name: "large", input_text: "Read it.", uploads: [upload_id] });
  expect(await finished(service, run["id"] ?? "")).toMatchObject({ loop_status: "finished" });
  const results = model.received.map(({ body }) => body.messages.at(-1) as { content: string });
  const texts = results.map(({ content: text }) => text);
  expect(texts[1]).toContain(`big.csv: lines ${middle} to ${middle + 1} of ${lines}\n${line(middle)}`);
  expect(texts[2]).toBe(`big.csv:${lines - 1}: ${found}`);
  expect(texts[3]).toContain(`100000 rows, last ${line(middle + 99_999).trimEnd()}`);
  expect(texts[4]).toContain(
    `The files have ${content.length} bytes together; the sandbox accepts at most 33554432. Pass a part of a large text file`,
  );
  const turn = peak();
  console.log(
    `${megabytes} MiB: peak ${Math.round(transfers)} MB during transfers, ${Math.round(turn)} MB with a turn`,
  );
  // It was 169 MB: contents are never in memory as a whole.
  expect(transfers).toBeLessThan(230);
  // It was 534 MB. Three tools read the file one after the other, and its memory is freed some time later.
  expect(turn).toBeLessThan(700);
});
