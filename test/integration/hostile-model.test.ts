import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import {
  chatServer,
  chunk,
  type Reply,
  startStream,
  streams,
  toolCallChunk,
} from "../providers/chat-completions-server.ts";
import { done, fileText } from "./admin.ts";
import {
  createRun,
  finished,
  modelAt,
  newDataDir,
  read,
  type RunStatus,
  type Service,
  startService,
} from "./service.ts";

const answers = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }));

let service: Service | undefined;
afterEach(async () => {
  await service?.[Symbol.asyncDispose]();
  service = undefined;
});

async function run(baseUrl: string): Promise<RunStatus> {
  service = await startService(newDataDir(), modelAt(baseUrl));
  return finished(service, await createRun(service, { input_text: "Go." }));
}

/** Peak memory of the service in MB. 0 on other systems than Linux. */
function peak(): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${service?.child.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function writeForever(response: ServerResponse): Promise<void> {
  const piece = "x".repeat(65_536);
  while (!response.destroyed) {
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve).once("close", resolve);
    });
    response.removeAllListeners("drain").removeAllListeners("close");
  }
}

const endlessLine: Reply = async (response) => {
  startStream(response);
  response.write("data: ");
  await writeForever(response);
};

const endlessError: Reply = async (response) => writeForever(response.writeHead(503));

test("an endless answer fails the run, not the service", async () => {
  await using server = await chatServer(endlessLine, answers);
  const status = await run(server.baseUrl);
  expect(status.loop_status).toBe("technical_error");
  expect(peak()).toBeLessThan(1_000);
  const shown = await done(service?.dataDir ?? "", "run", "show", status.agent_id);
  expect(shown).toMatchObject({ failure: { category: "model_answer", retryable: false } });
});

test("an endless error response is truncated, and the call is retried", async () => {
  await using server = await chatServer(endlessError, answers);
  expect(await run(server.baseUrl)).toMatchObject({ loop_status: "finished" });
  expect(peak()).toBeLessThan(500);
});

test("100 parallel tool calls are executed a few at a time, while the service responds", async () => {
  const searches = Array.from({ length: 100 }, (_, index) =>
    toolCallChunk(index, { id: `c${index}`, name: "search_files", arguments: '{"pattern":"x"}' }),
  );
  await using server = await chatServer(
    streams(chunk({ role: "assistant" }), ...searches, chunk({}, { finish_reason: "tool_calls" })),
    answers,
  );
  const status = await run(server.baseUrl);
  expect(status.transcript.at(-1)).toEqual({ role: "output_from_agent", text: "Done." });
  expect(peak()).toBeLessThan(600);
  const results = server.received[1]?.body.messages.filter((message) => "role" in message && message.role === "tool");
  expect(results).toHaveLength(100);
  for (const result of results ?? []) expect(result).toMatchObject({ content: "No line matches in 0 files." });
  expect(await read(service as Service, status.agent_id)).toEqual(status);
});

const unreadable: Reply = (response) => {
  startStream(response);
  response.end(`data: {"choices":[{"delta":{"content":{"secret":"plan"}}}]}\n\n`);
};

const noJson: Reply = (response) => {
  startStream(response);
  response.end(`data: {"choices":[{"delta":{"content":"secret plan\n\n`);
};

test("an unreadable answer does not appear in the log", async () => {
  await using server = await chatServer(unreadable, noJson);
  service = await startService(newDataDir(), [...modelAt(server.baseUrl), "--verbose"]);
  let logs = "";
  service.child.stderr?.on("data", (chunked: Buffer) => (logs += chunked.toString()));
  for (const reason of [/the content of a message is of the type object/, /not valid JSON/]) {
    const { agent_id: id, loop_status: status } = await finished(
      service,
      await createRun(service, { input_text: "Go." }),
    );
    expect(status).toBe("technical_error");
    expect(await done(service.dataDir, "run", "show", id)).toMatchObject({
      failure: { category: "model_answer", title: expect.stringMatching(reason) },
    });
  }
  expect(logs).toContain("model-call-failed");
  expect(logs).not.toContain("secret");
});

test("edits of one file in one answer are applied in order", async () => {
  const parts = ["one", "two", "three", "four", "five"];
  const write = { name: "a.txt", content: parts.join(" ") };
  const edits = parts.map((part) => ({ name: "a.txt", old_text: part, new_text: part.toUpperCase() }));
  const calls = [write, ...edits].map((input, index) =>
    toolCallChunk(index, {
      id: `c${index}`,
      name: index === 0 ? "write_file" : "edit_file",
      arguments: JSON.stringify(input),
    }),
  );
  await using server = await chatServer(
    streams(chunk({ role: "assistant" }), ...calls, chunk({}, { finish_reason: "tool_calls" })),
    answers,
  );
  const { agent_id: id } = await run(server.baseUrl);
  expect(await fileText(service?.dataDir ?? "", id, "a.txt")).toBe("ONE TWO THREE FOUR FIVE");
});

test.each([
  { are: "clamped", input: 12, shown: { input_tokens: 12, output_tokens: 1_000_000_000 } },
  { are: "replaced by an estimate", input: -500, shown: { output_tokens: 2, estimated_tokens: expect.any(Number) } },
])("impossible token counts are $are", async ({ input, shown }) => {
  const usage = { prompt_tokens: input, completion_tokens: 1e300, total_tokens: 3 };
  const counts = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }), {
    ...chunk({}),
    choices: [],
    usage,
  });
  await using server = await chatServer(counts);
  const { agent_id: id } = await run(server.baseUrl);
  expect(await done(service?.dataDir ?? "", "run", "show", id)).toMatchObject({ usage: shown });
});
