import { describe, expect, it } from "vitest";
import type { Attachment, Message, ModelRequest } from "../../src/agent/model.ts";
import { imageSize } from "../../src/agent/models/image-size.ts";
import { limitWords } from "../../src/agent/models/output-limit.ts";
import { answerOf, failureOf, request } from "./call-model.ts";
import { anthropicFixture } from "./anthropic-fixture.ts";
import { modelServer } from "./model-server.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { png } from "./pictures.ts";
import { type ProviderFixture, rejects, streamsResponse } from "./provider-fixture.ts";

/** A model of a turn, whose server refuses these requests, by their number from 0, and answers the others. */
async function refusing(provider: ProviderFixture, refusals: Record<number, string>) {
  const replies = Array.from({ length: 8 }, (_, index) => {
    const message = refusals[index];
    return message === undefined ? streamsResponse(provider, { text: ["Yes."] }) : rejects(provider, 400, message);
  });
  const server = await modelServer(...replies);
  const model = provider.open(server.baseUrl);
  return {
    ask: (more: Partial<ModelRequest>) => model(request(more)),
    sent: () => server.received.map((each) => provider.read(each)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("an output limit that a server refuses", () => {
  const parameters = { maxOutputTokens: 200_000 };

  it.each(limitWords)("is lowered to what $vendors accepts, for the rest of the turn", async ({ example, accepts }) => {
    await using server = await refusing(openAiFixture, { 0: example });
    for (const _ of [1, 2]) answerOf(await server.ask({ parameters }));
    expect(server.sent().map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([200_000, accepts, accepts]);
  });

  it("is set if the agent has none, and a gateway has asked for too much", async () => {
    await using server = await refusing(openAiFixture, { 0: limitWords[0]?.example ?? "" });
    answerOf(await server.ask({}));
    expect(server.sent().map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 16_384]);
  });

  it("is halved if the server names no number, and lowered once in a call", async () => {
    const message = "max_tokens is too large for this model";
    await using server = await refusing(openAiFixture, { 0: message, 1: message });
    const failure = failureOf(await server.ask({ parameters }));
    expect(failure).toMatchObject({ category: "model_configuration", retryable: false });
    expect(failure.remedy).toContain("parameters.maxOutputTokens");
    answerOf(await server.ask({ parameters }));
    expect(server.sent().map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([200_000, 100_000, 100_000]);
  });

  it("stays if the conversation leaves no room for an answer: it has to be compacted", async () => {
    const message = "This model's maximum context length is 32768 tokens (200000 > 32768 - 32500).";
    await using server = await refusing(openAiFixture, { 0: message });
    expect(await server.ask({ parameters })).toMatchObject({ contextOverflow: true });
    expect(server.sent()).toHaveLength(1);
  });
});

const showing = (...names: string[]): Message[] => [
  { role: "user", text: "Look.", attachments: names.map((name) => ({ name, mediaType: "image/png" })) },
];
const shownIn = ({ messages }: ReturnType<ProviderFixture["read"]>): number[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => ("file" in part ? (imageSize(Buffer.from(part.file, "base64"))?.longest ?? []) : [])),
  );

const sidesOf = (hex: string): (number | undefined)[] => {
  const size = imageSize(Buffer.from(hex.replaceAll(" ", "").padEnd(80, "0"), "hex"));
  return [size?.width, size?.height];
};

describe("a picture that a server refuses for its size", () => {
  const stored: Record<string, Uint8Array> = {
    "tall.png": png(100, 9_000),
    "wide.png": png(3_000, 10, 400),
    "small.png": png(20, 20, 90),
  };
  const readAttachment = async ({ name }: Attachment) => stored[name];
  const ask = (server: Awaited<ReturnType<typeof refusing>>, ...names: string[]) =>
    server.ask({ messages: showing(...names), readAttachment });

  it.each([openAiFixture, anthropicFixture])("is named to the model, and others are shown: $name", async (provider) => {
    const message =
      "messages.2.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels";
    await using server = await refusing(provider, { 0: message });
    answerOf(await ask(server, "tall.png", "wide.png"));
    answerOf(await ask(server, "tall.png", "wide.png", "small.png"));
    expect(server.sent().map(shownIn)).toEqual([[9_000, 3_000], [3_000], [3_000, 20]]);
    expect(JSON.stringify(server.sent()[1])).toContain(
      'File \\"tall.png\\" (image/png) is not shown: the model server refuses images of its size (100 x 9000 pixels, 40 bytes)',
    );
  });

  it("is the largest if the server names no size: by its sides, or by its bytes", async () => {
    await using sides = await refusing(openAiFixture, {
      0: "Image dimensions too large",
      1: "Image dimensions too large",
    });
    answerOf(await ask(sides, "tall.png", "wide.png", "small.png"));
    expect(sides.sent().map(shownIn)).toEqual([[9_000, 3_000, 20], [3_000, 20], [20]]);

    await using bytes = await refusing(openAiFixture, { 0: "image exceeds 5 MB maximum: 6 bytes > 5 bytes" });
    answerOf(await ask(bytes, "tall.png", "wide.png", "small.png"));
    expect(bytes.sent().map(shownIn)).toEqual([
      [9_000, 3_000, 20],
      [9_000, 20],
    ]);
  });

  it("has a size in PNG, JPEG, GIF and WebP", () => {
    expect(sidesOf("ffd8 ffe0 0004 0000 ffdb 0003 00 ffc2 0011 08 0102 0304 03")).toEqual([0x304, 0x102]);
    expect(sidesOf("474946383961 0403 0201")).toEqual([0x304, 0x102]);
    expect(sidesOf("52494646 00000000 57454250 56503858 0a000000 00000000 030201 060504")).toEqual([0x10204, 0x40507]);
    expect(sidesOf("52494646 00000000 57454250 5650384c 00000000 2f 03c00100")).toEqual([4, 8]);
    expect(sidesOf("52494646 00000000 57454250 56503820 00000000 000000 9d012a 0403 0201")).toEqual([0x304, 0x102]);
    expect(sidesOf("ffd8 ffe0 0004 0000")).toEqual([undefined, undefined]);
    expect(sidesOf("2550")).toEqual([undefined, undefined]);
  });
});
