import type {
  JSONObject,
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Attachment, Failure, Model, ModelAnswer, ModelFailure, ModelOutcome, ModelRequest } from "../model.ts";
import { toWellFormed } from "../../json.ts";
import { type AttachmentContent, loadAttachments } from "./attachments.ts";
import { setRequestForm, watchRequests } from "./exchange.ts";
import { isAttachmentRejection, isMalformedToolCall } from "./error-table.ts";
import { type Endpoint, IncompleteResponse, modelFailure } from "./model-error.ts";
import { interruptedReason, malformedCallReason, readResponse, type ResponseParts } from "./parse-response.ts";
import { type FormedRequest, formRequest, isFormatRejection, type ResultFormat } from "./result-format.ts";
import { buildEcho, toPrompt } from "./to-prompt.ts";

/** What distinguishes one provider from another. */
export interface ProviderAdapter {
  /** Makes one model call. Resolves when the response begins. */
  call: (options: LanguageModelV4CallOptions) => Promise<ResponseParts>;
  endpoint: Endpoint;
  /** Context window of the server, after a response with this many input tokens. Never rejects. */
  contextWindow?: (inputTokens: number) => Promise<number | undefined>;
  /** The provider rejects tool calls in the conversation of a request without tools. */
  toolCallsNeedTools?: true;
  /** Provider options for a service tier. `accepted`: the provider's tiers; absent: the server decides. */
  serviceTier: { accepted?: readonly string[]; options: (tier: string) => SharedV4ProviderOptions };
  /** Provider options for the key of the provider's prompt cache. */
  cacheKey?: (key: string) => SharedV4ProviderOptions;
  /** Provider options for requests with tools, such as prompt caching: another step may follow. */
  optionsWithTools?: SharedV4ProviderOptions;
  /**
   * Provider options of each PDF whose pages are known, so that the model sees the pages. They exclude the provider's own
   * format of results.
   */
  pagesOptions?: SharedV4ProviderOptions;
  /** How results of a schema are asked for, and provider options for the provider's own format. */
  result: { format: (schema: object) => ResultFormat; nativeOptions?: SharedV4ProviderOptions };
}

/** Streaming calls of a model of the AI SDK. */
export function streamingCall(model: LanguageModelV4): ProviderAdapter["call"] {
  return async (options) => (await model.doStream(options)).stream;
}

/**
 * Returns a factory that creates the model of one turn. Each request is streamed, so that a long response does not run
 * into an idle timeout and an abort closes the connection at once. Three kinds of rejected requests are retried once:
 *
 * - A request with attachments is retried with a sentence in place of each. If that works, the turn sends no more.
 * - A request without tools is retried with the tool calls of its conversation as text.
 * - A request for a result in the provider's own format is retried with a tool. Later requests for the schema have the tool.
 */
export function createModelFactory(adapter: ProviderAdapter): () => Model {
  const rejectedSchemas = new Set<string>();
  const send = async (
    request: ModelRequest,
    attachments: Map<Attachment, AttachmentContent>,
  ): Promise<ModelOutcome> => {
    const { result } = request;
    if (!result) return sendFormed(request, attachments);
    const schema = JSON.stringify(result);
    const asTool = rejectedSchemas.has(schema) || (adapter.pagesOptions && hasPages(attachments));
    const format = asTool ? "tool" : adapter.result.format(result);
    setRequestForm({ resultFormat: format });
    const outcome = await sendFormed(formRequest(request, format), attachments);
    if (format === "tool" || !("failure" in outcome) || !isFormatRejection(outcome.failure)) return outcome;
    if (rejectedSchemas.size < maxRejectedSchemas) rejectedSchemas.add(schema);
    setRequestForm({ resultFormat: "tool" });
    return sendFormed(formRequest(request, "tool"), attachments);
  };
  const sendFormed = async (
    request: FormedRequest,
    attachments: Map<Attachment, AttachmentContent>,
  ): Promise<ModelOutcome> => {
    const { toolCallsNeedTools = false } = adapter;
    const withoutTools = request.tools.length === 0;
    const outcome = await tryCall(request, attachments, adapter, withoutTools && toolCallsNeedTools);
    const hasCalls = !toolCallsNeedTools && withoutTools && request.messages.some(({ role }) => role === "tool");
    const rejected = "failure" in outcome && outcome.failure.category === "model_refused" && !outcome.contextOverflow;
    return hasCalls && rejected ? tryCall(request, attachments, adapter, true) : outcome;
  };
  return () => {
    let acceptsFiles = true;
    const call: Model = async (request) => {
      request.signal.throwIfAborted();
      const { messages, readAttachment } = request;
      if (!acceptsFiles) setRequestForm({ withoutFiles: true });
      const attachments = await loadAttachments(messages, acceptsFiles ? readAttachment : undefined);
      const outcome = await send(request, attachments);
      const hasFiles = [...attachments.values()].some((content) => typeof content !== "string");
      if (!hasFiles || !("failure" in outcome) || !isAttachmentRejection(outcome.failure)) return outcome;
      setRequestForm({ withoutFiles: true });
      const withoutFiles = await send(request, await loadAttachments(messages, undefined));
      acceptsFiles = !("answer" in withoutFiles);
      return acceptsFiles ? outcome : withoutFiles;
    };
    return (request) => watchRequests(request.onSent, () => call(request));
  };
}

function hasPages(attachments: Map<Attachment, AttachmentContent>): boolean {
  return [...attachments].some(([{ pages }, content]) => pages !== undefined && typeof content !== "string");
}

/** Schemas of 64 KB each. */
const maxRejectedSchemas = 100;

async function tryCall(
  request: FormedRequest,
  attachments: Map<Attachment, AttachmentContent>,
  adapter: ProviderAdapter,
  toolCallsAsText: boolean,
): Promise<ModelOutcome> {
  const refused = tierFailure(request, adapter);
  if (refused) return { failure: refused };
  const seen: Pick<ModelFailure, "begun" | "characters"> = {};
  const onPart = (characters: number): void => {
    seen.begun = true;
    seen.characters = (seen.characters ?? 0) + characters;
  };
  setRequestForm({ callsAsText: toolCallsAsText });
  try {
    return await callProvider(request, attachments, { ...adapter, onPart }, toolCallsAsText);
  } catch (error) {
    request.signal.throwIfAborted();
    // Text before a malformed tool call is discarded. The turn repeats the call, as after any empty answer.
    const malformed = request.tools.length > 0 && isMalformedToolCall(error);
    if (malformed) return { answer: emptyAnswer };
    return { ...modelFailure(error, adapter.endpoint, request), ...seen };
  }
}

/** The SDK leaves a tier out that the provider does not have, and the call would have another price. */
function tierFailure({ parameters }: ModelRequest, { serviceTier, endpoint }: ProviderAdapter): Failure | undefined {
  const tier = parameters?.serviceTier;
  const { accepted } = serviceTier;
  if (tier === undefined || !accepted || accepted.includes(tier)) return undefined;
  return {
    category: "model_configuration",
    title: `${endpoint.api} has no service tier '${tier}'.`,
    remedy: `Set parameters.serviceTier of the agent to one of ${accepted.join(", ")}, or remove it.`,
    retryable: false,
  };
}

const emptyAnswer: ModelAnswer = {
  text: "",
  toolCalls: [],
  finishReason: "other",
  usage: { inputTokens: 0, outputTokens: 0 },
};

async function callProvider(
  request: FormedRequest,
  attachments: Map<Attachment, AttachmentContent>,
  adapter: ProviderAdapter & { onPart: (characters: number) => void },
  toolCallsAsText: boolean,
): Promise<Extract<ModelOutcome, { answer: ModelAnswer }>> {
  const { tools, signal, onText } = request;
  const { call, contextWindow: readWindow, onPart } = adapter;
  const options = callOptions(request, attachments, adapter, toolCallsAsText);
  const startedAt = performance.now();
  const parts = await call(options);
  const response = await readResponse(parts, options.prompt, tools, { onPart, ...(onText && { onText }) });
  const { answer, content, fields, received, firstPartAt } = response;
  const { reason: rawReason } = received;
  signal.throwIfAborted();
  // The streams of two providers end without an error when the connection is lost.
  if (rawReason === undefined) throw new IncompleteResponse();
  if (interruptedReason.test(rawReason)) throw new IncompleteResponse(rawReason);
  const contextWindow = await readWindow?.(answer.usage.inputTokens);
  signal.throwIfAborted();
  const server = {
    received: toWellFormed(received),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(firstPartAt !== undefined && { firstTokenMs: Math.round(firstPartAt - startedAt) }),
  };
  if (malformedCallReason.test(rawReason)) return { answer: { ...emptyAnswer, usage: answer.usage }, ...server };
  const echo = buildEcho(originOf(adapter), content, fields);
  return { answer: { ...toWellFormed(answer), ...(echo && { echo }) }, ...server };
}

/** The request in the AI SDK's format. */
export function callOptions(
  { instructions, messages, tools, parameters = {}, signal, result, format, cacheKey }: FormedRequest,
  attachments: Map<Attachment, AttachmentContent>,
  adapter: ProviderAdapter,
  toolCallsAsText: boolean,
): LanguageModelV4CallOptions {
  const withTools = tools.length > 0;
  const { temperature, maxOutputTokens, reasoningEffort, serviceTier } = parameters;
  const providerOptions = merged([
    withTools ? adapter.optionsWithTools : undefined,
    serviceTier && adapter.serviceTier.options(serviceTier),
    cacheKey === undefined ? undefined : adapter.cacheKey?.(cacheKey),
    format === "native" ? adapter.result.nativeOptions : undefined,
  ]);
  return {
    prompt: toPrompt(instructions, messages, {
      origin: originOf(adapter),
      attachments,
      toolCallsAsText,
      pagesOptions: adapter.pagesOptions,
    }),
    abortSignal: signal,
    ...(withTools && { tools: tools.map(toFunctionTool), toolChoice: { type: "auto" } }),
    ...(format === "native" && { responseFormat: { type: "json", schema: result as JSONSchema7, name: "result" } }),
    ...(providerOptions && { providerOptions }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
  };
}

/** The options of one provider together. Undefined: there are none. */
function merged(all: (SharedV4ProviderOptions | undefined)[]): SharedV4ProviderOptions | undefined {
  const given = all.filter((options) => options !== undefined);
  if (given.length < 2) return given[0];
  const [provider = ""] = Object.keys(given[0] ?? {});
  return { [provider]: Object.assign({}, ...given.map((options) => options[provider])) as JSONObject };
}

/** Provider and model. Reasoning and signatures are sent only to the model that produced them. */
function originOf({ endpoint }: ProviderAdapter): string {
  return `${endpoint.provider} ${endpoint.model}`;
}

function toFunctionTool({ name, description, input }: ModelRequest["tools"][number]) {
  return { type: "function" as const, name, description, inputSchema: input as JSONSchema7 };
}
