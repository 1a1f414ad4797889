import { randomUUID } from "node:crypto";
import type { LanguageModelMiddleware } from "ai";
import { tooDeepAt } from "../json.ts";

/** Calls of one answer that are taken: each has its records, and an answer of 64 MB has room for 400,000. */
const mostCalls = 1_000;
/** Characters of ids and names that are kept as they are: of the providers' none is longer. */
const mostCharacters = 256;

/**
 * What the library is given of a model's tool calls. Arguments that are nested too deep end where they get so, and are
 * malformed then like any others, before anything walks them. An id that is missing, or that the conversation has
 * already, is replaced: a conversation with two of them is refused. Calls beyond the most that are taken are left out.
 */
export const soundToolCalls: LanguageModelMiddleware = {
  specificationVersion: "v4",
  async wrapStream({ doStream, params: { prompt } }) {
    const parts = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
    const taken = new Set(parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : [])));
    let calls = 0;
    const { stream, ...rest } = await doStream();
    const sound = new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        if (part.type !== "tool-call") return controller.enqueue(part);
        if (++calls > mostCalls) return undefined;
        const { toolCallId: id, toolName, input } = part;
        const usable = id !== "" && id.length <= mostCharacters && !taken.has(id);
        const toolCallId = usable ? id : `call_${randomUUID()}`;
        taken.add(toolCallId);
        controller.enqueue({
          ...part,
          toolCallId,
          toolName: toolName.slice(0, mostCharacters),
          input: input.slice(0, tooDeepAt(input)),
        });
      },
    });
    return { ...rest, stream: stream.pipeThrough(sound) };
  },
};

type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = Streamed["stream"] extends ReadableStream<infer Part> ? Part : never;
