import type {
  Attachment,
  Failure,
  Model,
  ModelAnswer,
  ModelFailure,
  ModelOutcome,
  ModelRequest,
  RequestForm,
  TokenUsage,
} from "../model.ts";
import { toWellFormed } from "../../json.ts";
import { callOptions } from "./call-options.ts";
import { type AttachmentContent, loadAttachments } from "./attachments.ts";
import { reportedUsage, setRequestForm, watchRequests } from "./errors/exchange.ts";
import { isAttachmentRejection, isMalformedToolCall } from "./errors/error-table.ts";
import { lowerImageLimit } from "./image-limit.ts";
import { lowerOutputLimit } from "./output-limit.ts";
import { EmptyResponse, IncompleteResponse, modelFailure } from "./errors/model-error.ts";
import { interruptedReason, malformedCallReason, readResponse, toTokenUsage } from "./errors/parse-response.ts";
import { originOf, type ProviderAdapter } from "./provider-adapter.ts";
import { type FormedRequest, formRequest, isFormatRejection } from "./openai/result-format.ts";
import { buildEcho } from "./to-prompt.ts";

/**
 * Returns a factory that creates the model of one turn. Each request is streamed, so that a long response does not run
 * into an idle timeout and an abort closes the connection at once. Some kinds of rejected requests are retried:
 *
 * - A request with too large an output limit is retried with a smaller one, which the turn keeps.
 * - A request with too large a picture is retried with a sentence in its place, as for all of this size in the turn.
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
    let form: TurnForm = {};
    const attempt = async (request: ModelRequest, more: TurnForm = {}): Promise<Attempt> => {
      form = { ...form, ...more };
      setRequestForm(form);
      const readAttachment = form.withoutFiles ? undefined : request.readAttachment;
      const attachments = await loadAttachments(request.messages, readAttachment, form.imageLimit);
      return { attachments, outcome: await send(withOutputLimit(request, form), attachments) };
    };
    const call: Model = async (request) => {
      request.signal.throwIfAborted();
      let last = await attempt(request);
      const lowered = "failure" in last.outcome && lowerOutputLimit(last.outcome.failure, limitOf(request, form));
      if (lowered) last = await attempt(request, { maxOutputTokens: lowered });
      for (let attempts = 0; attempts < maxImageAttempts && "failure" in last.outcome; attempts++) {
        if (last.outcome.contextOverflow) break;
        const imageLimit = lowerImageLimit(last.outcome.failure, last.attachments.values());
        if (!imageLimit) break;
        last = await attempt(request, { imageLimit: { ...form.imageLimit, ...imageLimit } });
      }
      const { attachments, outcome } = last;
      const hasFiles = [...attachments.values()].some((content) => typeof content !== "string");
      if (!hasFiles || !("failure" in outcome) || !isAttachmentRejection(outcome.failure)) return outcome;
      const without = await attempt(request, { withoutFiles: true });
      if ("answer" in without.outcome) return without.outcome;
      form = { ...form, withoutFiles: false };
      return outcome;
    };
    return (request) => watchRequests(request.onSent, () => call(request));
  };
}

/** What the requests of a turn are made of after rejections. */
type TurnForm = Pick<RequestForm, "withoutFiles" | "imageLimit" | "maxOutputTokens">;

interface Attempt {
  attachments: Map<Attachment, AttachmentContent>;
  outcome: ModelOutcome;
}

/** Requests of a call in which one picture less is sent, if the error does not say which size is accepted. */
const maxImageAttempts = 3;

function limitOf({ parameters }: Pick<ModelRequest, "parameters">, form: RequestForm): number | undefined {
  return form.maxOutputTokens ?? parameters?.maxOutputTokens;
}

/** The request with the output limit of its form. */
export function withOutputLimit<Request extends Pick<ModelRequest, "parameters">>(
  request: Request,
  form: RequestForm,
): Request {
  const maxOutputTokens = limitOf(request, form);
  return maxOutputTokens === undefined
    ? request
    : { ...request, parameters: { ...request.parameters, maxOutputTokens } };
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
  const seen: Seen = { isAnswered: false };
  setRequestForm({ callsAsText: toolCallsAsText });
  try {
    return await callProvider(request, attachments, { ...adapter, seen }, toolCallsAsText);
  } catch (error) {
    request.signal.throwIfAborted();
    // Text before a malformed tool call is discarded. The turn repeats the call, as after any empty answer.
    const malformed = request.tools.length > 0 && isMalformedToolCall(error);
    if (malformed) return { answer: { ...emptyAnswer, ...usageOfFailed() } };
    return { ...modelFailure(error, adapter.endpoint, request), ...costOf(seen, error) };
  }
}

/** What has arrived of a response. `characters`: absent before the first part of the answer. */
interface Seen {
  /** The status of the response was that of a success. */
  isAnswered: boolean;
  characters?: number;
}

/** Whether the provider may charge for a failed call: it began to answer, sent token counts, or ended without an error. */
function costOf(
  { isAnswered, characters }: Seen,
  error: unknown,
): Pick<ModelFailure, "begun" | "characters" | "usage"> {
  const counted = usageOfFailed();
  const begun = characters !== undefined || counted.usage !== undefined || (isAnswered && error instanceof Error);
  return { ...(begun && { begun }), ...(characters !== undefined && { characters }), ...counted };
}

function usageOfFailed(): { usage?: TokenUsage } {
  const reported = reportedUsage();
  const usage = reported && toTokenUsage(reported);
  return usage && usage.inputTokens + usage.outputTokens > 0 ? { usage } : {};
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
  adapter: ProviderAdapter & { seen: Seen },
  toolCallsAsText: boolean,
): Promise<Extract<ModelOutcome, { answer: ModelAnswer }>> {
  const { messages, tools, signal, onText } = request;
  const { call, contextWindow: readWindow, seen } = adapter;
  const onPart = (characters: number): void => void (seen.characters = (seen.characters ?? 0) + characters);
  const options = callOptions(request, attachments, adapter, toolCallsAsText);
  const startedAt = performance.now();
  const parts = await call(options);
  seen.isAnswered = true;
  const response = await readResponse(parts, messages, tools, { onPart, ...(onText && { onText }) });
  const { answer, content, fields, received, firstPartAt } = response;
  const { reason: rawReason } = received;
  signal.throwIfAborted();
  // The streams of two providers end without an error when the connection is lost.
  if (rawReason === undefined) throw seen.characters === undefined ? new EmptyResponse() : new IncompleteResponse();
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
