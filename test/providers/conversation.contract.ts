import { describe, expect, it } from "vitest";
import type { Attachment, Message, ModelOutcome } from "../../src/agent/model.ts";
import { acceptedCallIds } from "../../src/agent/models/call-ids.ts";
import { runTurn } from "../../src/agent/turn/run-turn.ts";
import { spaceOf, turn } from "../unit/agent/scripted.ts";
import { answerOf, callModel, request } from "./call-model.ts";
import { modelServer } from "./model-server.ts";
import { rejects, type ScriptedResponse, streamsResponse, type ProviderFixture } from "./provider-fixture.ts";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const pdf = new TextEncoder().encode("%PDF-1.7\n%%EOF");
const stored: Record<string, Uint8Array> = { "a.png": png, "b.pdf": pdf, "large.png": new Uint8Array(4_000_000) };
const readAttachment = async ({ name }: Attachment): Promise<Uint8Array | undefined> => stored[name];
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const yes: ScriptedResponse = { text: ["Yes."] };

const shownFiles: Message[] = [
  { role: "user", text: "What is in them?", attachments: [{ name: "a.png", mediaType: "image/png" }] },
  { role: "assistant", answer: { text: "", toolCalls: [{ id: "x", name: "read_file", input: { name: "b.pdf" } }] } },
  {
    role: "tool",
    results: [
      {
        callId: "x",
        name: "read_file",
        text: "b.pdf is shown.",
        attachments: [
          { name: "b.pdf", mediaType: "application/pdf" },
          { name: "gone.png", mediaType: "image/png" },
          { name: "large.png", mediaType: "image/png" },
          { name: "c.tiff", mediaType: "image/tiff" },
        ],
      },
    ],
  },
];

/** Requests to every provider. `signed`: the provider signs its reasoning. */
export function conversationSuite(provider: ProviderFixture, { signed }: { signed: boolean }): void {
  /** The messages that the server receives. */
  const sentMessages = async (messages: Message[], more: Partial<Parameters<typeof request>[0]> = {}) =>
    (await callModel(provider, streamsResponse(provider, yes), { messages, ...more })).sent[0]?.messages;

  describe("the conversation", () => {
    const reasoning = { text: "I should look.", signature: "EqQBCkYIARgC+signature/==" };
    const looking: ScriptedResponse = {
      reasoning,
      text: ["Looking."],
      calls: [
        { id: "call_a", name: "list_files", arguments: ["{}"] },
        { id: "call_b", name: "read_file", arguments: ["{broken"] },
      ],
      finish: "calls",
    };
    const results: Message = {
      role: "tool",
      results: [
        { callId: "call_a", name: "list_files", text: "a.txt (3 bytes)" },
        { callId: "call_b", name: "read_file", text: "Not JSON.", error: true },
      ],
    };

    it("sends back reasoning with its signature, calls and results after a JSON round trip", async () => {
      await using server = await modelServer(streamsResponse(provider, looking), streamsResponse(provider, yes));
      const model = provider.open(server.baseUrl);
      const outcome = JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome;
      const first: Message = { role: "assistant", answer: answerOf(outcome) };
      await model(request({ messages: [{ role: "user", text: "Hello" }, first, results] }));
      const [, assistant, ...rest] = server.received.map((each) => provider.read(each))[1]?.messages ?? [];
      expect(assistant).toEqual({
        role: "assistant",
        parts: [
          { reasoning: reasoning.text, ...(signed && { signature: reasoning.signature }) },
          { text: "Looking." },
          { call: "call_a", name: "list_files", input: {} },
          { call: "call_b", name: "read_file", input: {} },
        ],
      });
      expect(rest.flatMap(({ parts }) => parts)).toEqual([
        { result: "call_a", text: "a.txt (3 bytes)" },
        { result: "call_b", text: "Not JSON." },
      ]);
    });

    it("sends back the numbers of arguments as the model wrote them", async () => {
      const json = '{"id":2512292042121000001,"price":10.10,"rows":[1e400,-0]}';
      const calls = [{ id: "call_a", name: "list_files", arguments: [json.slice(0, 15), json.slice(15)] }];
      await using server = await modelServer(
        streamsResponse(provider, { calls, finish: "calls" }),
        ...Array.from({ length: 3 }, () => streamsResponse(provider, yes)),
      );
      const model = provider.open(server.baseUrl);
      const answer = answerOf(JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome);
      expect(answer.toolCalls).toMatchObject([{ name: "list_files", json }]);
      const messages = (echo: unknown): Message[] => [
        { role: "user", text: "Hello" },
        { role: "assistant", answer: { ...answer, echo } },
        { role: "tool", results: [{ callId: "call_a", name: "list_files", text: "None." }] },
      ];
      await model(request({ messages: messages(answer.echo) }));
      await model(request({ messages: messages(undefined) }));
      await model(request({ messages: messages(undefined), tools: [] }));
      for (const { text } of server.received.slice(1)) expect(text.replaceAll("\\", "")).toContain(json);
    });

    it("omits the reasoning of another model", async () => {
      await using server = await modelServer(streamsResponse(provider, looking), streamsResponse(provider, yes));
      const answer = answerOf(await provider.open(server.baseUrl)(request()));
      const messages: Message[] = [{ role: "user", text: "Hello" }, { role: "assistant", answer }, results];
      await provider.open(server.baseUrl, { model: "another.anthropic.claude" })(request({ messages }));
      expect(JSON.stringify(server.received[1]?.body)).not.toMatch(/I should look|EqQBCkYIARgC/);
      const [, sent] = server.received.map((each) => provider.read(each));
      expect(sent?.messages[1]?.parts).toHaveLength(3);
    });

    it("has ids of another model's calls that the API accepts, one for each, and the server's own as they were", async () => {
      const foreign = ["functions.list_files:0", "functions.list_files:1", `call_${"x".repeat(80)}`, "toolu_01"];
      const calls = foreign.map((id) => ({ id, name: "list_files", input: {} }));
      const own = "functions.list_files:2";
      await using server = await modelServer(
        streamsResponse(provider, { calls: [{ id: own, name: "list_files", arguments: ["{}"] }], finish: "calls" }),
        ...[yes, yes].map((each) => streamsResponse(provider, each)),
      );
      const model = provider.open(server.baseUrl);
      const before: Message[] = [
        { role: "user", text: "Look." },
        { role: "assistant", answer: { text: "", toolCalls: calls } },
        { role: "tool", results: foreign.map((callId) => ({ callId, name: "list_files", text: callId })) },
      ];
      const answer = answerOf(await model(request({ messages: before })));
      expect(answer.toolCalls).toMatchObject([{ id: own }]);
      const result: Message = { role: "tool", results: [{ callId: own, name: "list_files", text: own }] };
      const messages: Message[] = [...before, { role: "assistant", answer }, result];
      for (const _ of [1, 2]) await model(request({ messages }));

      const [, sent, again] = server.received.map((each) => provider.read(each).messages);
      const parts = sent?.flatMap((message) => message.parts) ?? [];
      const ids = parts.flatMap((part) => ("call" in part ? part.call : []));
      const accepted = new Map(Object.entries(acceptedCallIds)).get(provider.name);
      expect(ids.map((id) => id === own || accepted?.test(id))).toEqual([true, true, true, true, true]);
      expect(new Set(ids).size).toBe(5);
      expect(ids.slice(3)).toEqual(["toolu_01", own]);
      const answered = parts.flatMap((part) => ("result" in part ? [[part.result, part.text]] : []));
      expect(answered).toEqual([...foreign, own].map((id, index) => [ids[index], id]));
      expect(again).toEqual(sent);
      if (provider.name === "openai-compatible") expect(ids.slice(0, 2)).toEqual(foreign.slice(0, 2)); // Kimi's
    });

    it("includes responses of other models, merges user messages and omits empty responses", async () => {
      const messages: Message[] = [
        { role: "user", text: "One" },
        { role: "assistant", answer: { text: "Earlier.", toolCalls: [{ id: "x", name: "list_files", input: {} }] } },
        { role: "tool", results: [{ callId: "x", name: "list_files", text: "none" }] },
        { role: "assistant", answer: { text: "None.", toolCalls: [] } },
        { role: "user", text: "Two" },
        { role: "assistant", answer: { text: " ", toolCalls: [] } },
        { role: "user", text: "A note", note: true },
      ];
      const sent = await sentMessages(messages, { instructions: "" });
      expect(sent).toEqual([
        { role: "user", parts: [{ text: "One" }] },
        { role: "assistant", parts: [{ text: "Earlier." }, { call: "x", name: "list_files", input: {} }] },
        { role: "user", parts: [{ result: "x", text: "none" }] },
        { role: "assistant", parts: [{ text: "None." }] },
        { role: "user", parts: [{ text: "Two\n\nA note" }] },
      ]);
    });

    it("contains no blank text", async () => {
      const calls = [{ id: "call_a", name: "list_files", arguments: ["{}"] }];
      await using server = await modelServer(
        streamsResponse(provider, { reasoning, text: ["\n\n"], calls, finish: "calls" }),
      );
      const answer = answerOf(await provider.open(server.baseUrl)(request()));
      const blank: Message = { role: "tool", results: [{ callId: "call_a", name: "list_files", text: " \n" }] };
      const said = { text: "\n", toolCalls: answer.toolCalls };
      for (const each of [answer, said]) {
        const messages: Message[] = [{ role: "user", text: " " }, { role: "assistant", answer: each }, blank];
        const sent = (await sentMessages(messages, { instructions: " " })) ?? [];
        const parts = sent.flatMap((message) => message.parts);
        expect(parts.flatMap((part) => ("reasoning" in part ? [] : part))).toEqual([
          { text: "(empty)" },
          { call: "call_a", name: "list_files", input: {} },
          { result: "call_a", text: "(empty)" },
        ]);
      }
    });

    it("keeps tool results in a request without tools", async () => {
      const messages: Message[] = [
        { role: "user", text: "One" },
        { role: "assistant", answer: { text: "", toolCalls: [{ id: "x", name: "list_files", input: {} }] } },
        { role: "tool", results: [{ callId: "x", name: "list_files", text: "b.txt (7 bytes)" }] },
        { role: "user", text: "Answer now.", note: true },
      ];
      const { sent, received } = await callModel(provider, streamsResponse(provider, yes), { messages, tools: [] });
      expect(sent[0]?.tools).toEqual([]);
      expect(JSON.stringify(received[0]?.body)).toContain("b.txt (7 bytes)");
      expect(JSON.stringify(received[0]?.body)).toContain("Answer now.");
    });
  });

  describe("files", () => {
    it("of the input and of tool results are sent, others are replaced by a sentence", async () => {
      const sent = await sentMessages(shownFiles, { readAttachment });
      expect(sent?.[0]).toEqual({
        role: "user",
        parts: [
          { text: 'What is in them?\n\nFile "a.png" (image/png):' },
          { file: base64(png), mediaType: "image/png" },
        ],
      });
      const after = sent?.slice(2).flatMap(({ parts }) => parts) ?? [];
      expect(after.slice(0, 3)).toEqual([
        { result: "x", text: "b.pdf is shown." },
        { text: 'File "b.pdf" (application/pdf):' },
        { file: base64(pdf), mediaType: "application/pdf" },
      ]);
      expect(after.slice(3)).toEqual([
        {
          text:
            'File "gone.png" (image/png) is not shown: it is no longer in the workspace.\n\n' +
            'File "large.png" (image/png) is not shown: it has 4000000 bytes, and images can be shown up to ' +
            "3750000 bytes.\n\n" +
            'File "c.tiff" (image/tiff) is not shown: only images (PNG, JPEG, GIF, WebP) and PDFs can be shown.',
        },
      ]);
    });

    it("that the model rejects are replaced by a sentence in this and later requests", async () => {
      const refused = rejects(provider, 400, "This model doesn't support the image content block.");
      await using server = await modelServer(refused, streamsResponse(provider, yes), streamsResponse(provider, yes));
      const model = provider.open(server.baseUrl);
      for (const _ of [1, 2]) {
        answerOf(await model(request({ messages: shownFiles, readAttachment })));
      }
      expect(server.received.map(({ body }) => JSON.stringify(body).includes(base64(png)))).toEqual([
        true,
        false,
        false,
      ]);
      expect(JSON.stringify(server.received[1]?.body)).toContain("this model does not accept files");
    });

    it("are not the reason if the request is also rejected without them", async () => {
      const refused = rejects(provider, 400, "The prompt is too long.");
      const { outcome } = await callModel(provider, [refused, refused], { messages: shownFiles, readAttachment });
      expect(outcome).toMatchObject({ failure: { category: "model_refused", retryable: false } });
    });
  });

  it("completes a turn with parallel calls, one of them malformed", async () => {
    await using server = await modelServer(
      streamsResponse(provider, {
        calls: [
          { id: "a", name: "read_file", arguments: ['{"name":"a.txt"}'] },
          { id: "b", name: "read_file", arguments: ["{"] },
        ],
        finish: "calls",
      }),
      streamsResponse(provider, { text: ["It says alpha."] }),
    );
    const { input, ports } = turn(provider.open(server.baseUrl), {
      space: spaceOf({ "a.txt": "alpha" }),
    });
    expect(await runTurn(input, ports)).toMatchObject({
      kind: "done",
      text: "It says alpha.",
      finishReason: "completed",
    });
    const [, sent] = server.received.map((each) => provider.read(each));
    expect(sent?.messages.slice(2).flatMap(({ parts }) => parts)).toEqual([
      { result: "a", text: "a.txt: lines 1 to 1 of 1\nalpha" },
      { result: "b", text: expect.stringContaining("not valid JSON") },
    ]);
  });
}
