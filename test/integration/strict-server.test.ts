import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chatServer, chunk, type Reply, streams } from "../providers/chat-completions-server.ts";
import { done } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, startService } from "./service.ts";

interface Sent {
  role: string;
  content?: unknown;
  reasoning_content?: string;
  tool_call_id?: string;
  tool_calls?: { id: string }[];
}

const known = new Set(["model", "messages", "tools", "tool_choice", "stream", "max_tokens", "temperature"]);

function refuse(message: string): [number, object] {
  return [400, { object: "error", message, type: "invalid_request", code: "3230" }];
}

/** The error with which Mistral's API rejects a request; undefined for a valid request. */
function refusal(body: { messages: object[] }): [number, object] | undefined {
  const messages = body.messages as Sent[];
  const extra = (...loc: unknown[]): [number, object] => [
    422,
    {
      detail: [{ type: "extra_forbidden", loc: ["body", ...loc], msg: "Extra inputs are not permitted", input: body }],
    },
  ];
  const field = Object.keys(body).find((each) => !known.has(each));
  if (field !== undefined) return extra(field);
  for (const [index, { role, content, reasoning_content, tool_call_id, tool_calls = [] }] of messages.entries()) {
    if (reasoning_content !== undefined) return extra("messages", index, role, "reasoning_content");
    const before = messages[index - 1]?.role;
    if (role === "user" && before === "tool") return refuse("Unexpected role 'user' after role 'tool'");
    const wrong = [tool_call_id ?? [], ...tool_calls.map(({ id }) => id)]
      .flat()
      .find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
    if (wrong) return refuse(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`);
    if (JSON.stringify(content ?? "").includes("image_url"))
      return refuse("Image input is not supported by this model.");
  }
  return undefined;
}

/** A server with the validation of Mistral's API. Its model reads the image while it has tools. */
function strict(): { replies: Reply[]; refused: string[] } {
  const refused: string[] = [];
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 20 };
  const reply: Reply = (response, received) => {
    const refusing = refusal(received.body);
    if (refusing) {
      refused.push(JSON.stringify(refusing[1]).slice(0, 200));
      return void response
        .writeHead(refusing[0], { "content-type": "application/json" })
        .end(JSON.stringify(refusing[1]));
    }
    const said = chunk({ role: "assistant", content: `It is ${received.body.messages.length} messages long.` });
    // The id does not have the format that the server itself requires.
    const call = { index: 0, id: "call_1", function: { name: "read_file", arguments: { name: "a.png" } } };
    const thinks = chunk({ reasoning_content: "Let me see." });
    const looks = [thinks, chunk({ tool_calls: [call] }), { ...chunk({}, { finish_reason: "tool_calls" }), usage }];
    const answer = [said, { ...chunk({}, { finish_reason: "stop" }), usage }];
    return streams(...(received.body["tools"] ? looks : answer))(response, received);
  };
  return { replies: Array.from({ length: 30 }, () => reply), refused };
}

test("a run finishes on a server with strict validation", async () => {
  const { replies, refused } = strict();
  await using server = await chatServer(...replies);
  const dataDir = newDataDir();
  await using service = await startService(dataDir, modelAt(server.baseUrl));
  const file = join(dataDir, "agent.json");
  const limits = { steps: 2, tokens: 100_000, seconds: 60 };
  writeFileSync(file, JSON.stringify({ name: "Looker", instructions: "Look.", tools: ["read_file"], limits }));
  const agent = await done(dataDir, "agent", "create", "--file", file);
  const { key: apiKey } = await done(dataDir, "key", "create", "--agent", agent.id);
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const input = { input_text: "What is it?", files: [{ filename: "a.png", content_base64: png }] };
  const caller = { ...service, apiKey, templateId: agent.id };
  const run = await finished(caller, await createRun(caller, input));
  expect(run).toMatchObject({
    loop_status: "finished",
    transcript: [{}, { text: expect.stringMatching(/^It is \d+ messages/) }],
  });
  const shown = await done(dataDir, "run", "show", run.agent_id);
  // Two steps and the final answer. The total alone includes reasoning tokens.
  expect(shown).toMatchObject({ usage: { steps: 3, input_tokens: 30, output_tokens: 30 } });
  expect((shown["events"] as object[]).at(-2)).toMatchObject({ step: 3, ended: "steps" });
  // Rejected: stream options; reasoning, ids, order and image; the first three again without the image.
  expect(refused).toHaveLength(8);
  expect(server.received).toHaveLength(8 + 3);
});
