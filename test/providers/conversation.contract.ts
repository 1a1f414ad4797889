import { describe, expect, it } from "vitest";
import type { Message, ModelOutcome } from "../../src/agent/model.ts";
import { runTurn } from "../../src/agent/turn/run-turn.ts";
import { files, turn } from "../unit/agent/scripted.ts";
import { answerOf, ask, request } from "./ask.ts";
import { modelServer } from "./model-server.ts";
import { refuses, type Script, streams, type Wire } from "./wire.ts";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const pdf = new TextEncoder().encode("%PDF-1.7\n%%EOF");
const stored: Record<string, Uint8Array> = { "a.png": png, "b.pdf": pdf, "large.png": new Uint8Array(4_000_000) };
const readAttachment = async (name: string): Promise<Uint8Array | undefined> => stored[name];
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const yes: Script = { text: ["Yes."] };

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

/** What goes to a model, over each provider's wire. `signed`: the wire has signatures of reasoning. */
export function conversationSuite(wire: Wire, { signed }: { signed: boolean }): void {
  /** The parts of the messages that the server was asked with. */
  const partsAsked = async (messages: Message[], more: Partial<Parameters<typeof request>[0]> = {}) =>
    (await ask(wire, streams(wire, yes), { messages, ...more })).asked[0]?.messages;

  describe("the conversation", () => {
    const reasoning = { text: "I should look.", signature: "EqQBCkYIARgC+signature/==" };
    const looking: Script = {
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

    it("is echoed: reasoning with its signature, calls and results, also after it was stored as JSON", async () => {
      await using server = await modelServer(streams(wire, looking), streams(wire, yes));
      const model = wire.open(server.baseUrl);
      const outcome = JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome;
      const first: Message = { role: "assistant", answer: answerOf(outcome) };
      await model(request({ messages: [{ role: "user", text: "Hello" }, first, results] }));
      const [, assistant, ...rest] = server.received.map((each) => wire.read(each))[1]?.messages ?? [];
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

    it("leaves out the reasoning of another model, whose signature this one can't read", async () => {
      await using server = await modelServer(streams(wire, looking), streams(wire, yes));
      const answer = answerOf(await wire.open(server.baseUrl)(request()));
      const messages: Message[] = [{ role: "user", text: "Hello" }, { role: "assistant", answer }, results];
      await wire.open(server.baseUrl, { model: "another.anthropic.claude" })(request({ messages }));
      expect(JSON.stringify(server.received[1]?.body)).not.toMatch(/I should look|EqQBCkYIARgC/);
      const [, asked] = server.received.map((each) => wire.read(each));
      expect(asked?.messages[1]?.parts).toHaveLength(3);
    });

    it("holds answers of other models, joins what the user said in a row, and leaves empty answers out", async () => {
      const messages: Message[] = [
        { role: "user", text: "One" },
        { role: "assistant", answer: { text: "Earlier.", toolCalls: [{ id: "x", name: "list_files", input: {} }] } },
        { role: "tool", results: [{ callId: "x", name: "list_files", text: "none" }] },
        { role: "assistant", answer: { text: "None.", toolCalls: [] } },
        { role: "user", text: "Two" },
        { role: "assistant", answer: { text: " ", toolCalls: [] } },
        { role: "user", text: "A note", note: true },
      ];
      const asked = await partsAsked(messages, { instructions: "" });
      expect(asked).toEqual([
        { role: "user", parts: [{ text: "One" }] },
        { role: "assistant", parts: [{ text: "Earlier." }, { call: "x", name: "list_files", input: {} }] },
        { role: "user", parts: [{ result: "x", text: "none" }] },
        { role: "assistant", parts: [{ text: "None." }] },
        { role: "user", parts: [{ text: "Two\n\nA note" }] },
      ]);
    });

    it("has no text of blanks, for which providers refuse all of it", async () => {
      const calls = [{ id: "call_a", name: "list_files", arguments: ["{}"] }];
      await using server = await modelServer(streams(wire, { reasoning, text: ["\n\n"], calls, finish: "calls" }));
      const answer = answerOf(await wire.open(server.baseUrl)(request()));
      const blank: Message = { role: "tool", results: [{ callId: "call_a", name: "list_files", text: " \n" }] };
      const said = { text: "\n", toolCalls: answer.toolCalls };
      for (const each of [answer, said]) {
        const messages: Message[] = [{ role: "user", text: " " }, { role: "assistant", answer: each }, blank];
        const asked = (await partsAsked(messages, { instructions: " " })) ?? [];
        const parts = asked.flatMap((message) => message.parts);
        expect(parts.flatMap((part) => ("reasoning" in part ? [] : part))).toEqual([
          { text: "(empty)" },
          { call: "call_a", name: "list_files", input: {} },
          { result: "call_a", text: "(empty)" },
        ]);
      }
    });

    it("keeps what the tools found when the request has no tools any more", async () => {
      const messages: Message[] = [
        { role: "user", text: "One" },
        { role: "assistant", answer: { text: "", toolCalls: [{ id: "x", name: "list_files", input: {} }] } },
        { role: "tool", results: [{ callId: "x", name: "list_files", text: "b.txt (7 bytes)" }] },
        { role: "user", text: "Answer now.", note: true },
      ];
      const { asked, received } = await ask(wire, streams(wire, yes), { messages, tools: [] });
      expect(asked[0]?.tools).toEqual([]);
      expect(JSON.stringify(received[0]?.body)).toContain("b.txt (7 bytes)");
      expect(JSON.stringify(received[0]?.body)).toContain("Answer now.");
    });
  });

  describe("files", () => {
    it("of the input and of tool results go to the model as they are, others as a sentence", async () => {
      const asked = await partsAsked(shownFiles, { readAttachment });
      expect(asked?.[0]).toEqual({
        role: "user",
        parts: [
          { text: 'What is in them?\n\nFile "a.png" (image/png):' },
          { file: base64(png), mediaType: "image/png" },
        ],
      });
      const after = asked?.slice(2).flatMap(({ parts }) => parts) ?? [];
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

    it("that the model refuses are put into words, from then on without asking", async () => {
      const refused = refuses(wire, 400, "This model doesn't support the image content block.");
      await using server = await modelServer(refused, streams(wire, yes), streams(wire, yes));
      const model = wire.open(server.baseUrl);
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

    it("are not what a refusal is about when it comes again without them", async () => {
      const refused = refuses(wire, 400, "The prompt is too long.");
      const { outcome } = await ask(wire, [refused, refused], { messages: shownFiles, readAttachment });
      expect(outcome).toMatchObject({ failure: { category: "model_refused", retryable: false } });
    });
  });

  it("drives a whole turn: parallel calls with one that is broken, results in order, then the answer", async () => {
    await using server = await modelServer(
      streams(wire, {
        calls: [
          { id: "a", name: "read_file", arguments: ['{"name":"a.txt"}'] },
          { id: "b", name: "read_file", arguments: ["{"] },
        ],
        finish: "calls",
      }),
      streams(wire, { text: ["It says alpha."] }),
    );
    const { input, ports } = turn(wire.open(server.baseUrl), {
      ports: { files: files({ "a.txt": "alpha" }) },
    });
    expect(await runTurn(input, ports)).toMatchObject({
      kind: "done",
      text: "It says alpha.",
      finishReason: "normally",
    });
    const [, asked] = server.received.map((each) => wire.read(each));
    expect(asked?.messages.slice(2).flatMap(({ parts }) => parts)).toEqual([
      { result: "a", text: "a.txt: lines 1 to 1 of 1\nalpha" },
      { result: "b", text: expect.stringContaining("not valid JSON") },
    ]);
  });
}
