import { parseExact } from "../json.ts";

export const failureCategories = [
  "model_configuration",
  "model_refused",
  "model_unavailable",
  "model_answer",
  "limit",
  "internal",
  /** Only in trials: the record has no answer to a call. */
  "left_record",
] as const;

/**
 * Why a run failed, for operators.
 * - `category`: stable; used in metrics.
 * - `title`, `remedy`: sentences for people.
 * - `retryable`: the failure can pass without a change of configuration.
 */
export interface Failure {
  category: (typeof failureCategories)[number];
  title: string;
  remedy: string;
  retryable: boolean;
}

/** Service tiers of providers. Each has some of them; the adapters say which. */
export const serviceTiers = [
  "auto",
  "default",
  "flex",
  "priority",
  "standard_only",
  "reserved",
  "scale",
  "on_demand",
  "performance",
] as const;

/** Model parameters of an agent. Absent: the provider's default. */
export interface ModelParameters {
  /** 0 to 2. */
  temperature?: number;
  /** Tokens of one answer. */
  maxOutputTokens?: number;
  reasoningEffort?: "low" | "medium" | "high";
  serviceTier?: (typeof serviceTiers)[number];
}

/**
 * Settings for servers that differ from OpenAI's APIs, with their accepted values. The first value is the default.
 * docs/models.md explains them.
 */
export const chatSettings = {
  maxTokensField: ["max_tokens", "max_completion_tokens"],
  supportsStreaming: [true, false],
  supportsStreamOptions: [true, false],
  supportsSystemRole: [true, false],
  reasoningContent: ["echo", "omit", "require"],
  assistantAfterTool: [false, true],
  toolCallIdLength: ["any", 9],
  acceptsPdf: [false, true],
  resultFormat: ["tool", "native"],
} as const;

/** The settings of servers with the Responses API. */
export const responsesSettings = {
  supportsStreaming: [true, false],
  supportsPromptCacheKey: [true, false],
  reasoningContent: ["echo", "omit"],
  reasoningSummary: ["auto", "omit"],
  acceptsPdf: [false, true],
  resultFormat: ["tool", "native"],
} as const;

export const compatSettings = { ...responsesSettings, ...chatSettings } as const;

export type OpenAiCompat = {
  [Setting in keyof typeof compatSettings]?: (typeof compatSettings)[Setting][number];
};

/**
 * Seconds without data after which a call of a model fails, as an operator can set them. The longest fit into the 300 s
 * that `advance` reserves for its last step.
 */
export const idleSecondsRange = { min: 5, max: 240 };

/**
 * The model of an organization.
 * - `secret`: reference to the provider's API key, never the key: `env:NAME` or `file:PATH` on the local platform,
 *   `secretsmanager:NAME` on AWS (docs/secrets.md).
 * - `baseUrl`: replaces the provider's URL.
 * - `compat`: overrides what the service detects about the server.
 * - `idleSeconds`: see `idleSecondsRange`. Absent: the default of `createModelFetch`.
 * - Bedrock uses the AWS credentials of the process.
 */
export type ModelConfiguration = { enabled: boolean } & (
  | { provider: "demo" }
  | ({ provider: "openai-compatible" } & OpenAiConfiguration)
  | ({ provider: "openai-responses" } & OpenAiConfiguration)
  | { provider: "anthropic"; model: string; secret: string; baseUrl?: string; idleSeconds?: number }
  | { provider: "bedrock"; model: string; region: string; baseUrl?: string; idleSeconds?: number }
);

/** A server with an API of OpenAI. */
export interface OpenAiConfiguration {
  baseUrl: string;
  model: string;
  secret?: string;
  compat?: OpenAiCompat;
  idleSeconds?: number;
}

/** Tokens of one model call. */
export interface TokenUsage {
  /** Includes cached tokens. */
  inputTokens: number;
  /** Includes reasoning tokens. */
  outputTokens: number;
  /** Read from the provider's prompt cache. */
  cachedInputTokens?: number;
  /** Written to the provider's prompt cache. Absent when the provider does not report it. */
  cacheWriteInputTokens?: number;
  reasoningTokens?: number;
  /** The provider reported no input tokens: the numbers are estimated from the length of the texts. */
  estimated?: true;
}

/**
 * A tool call requested by the model. Stored as JSON in the journal.
 * - `input`: the value of its arguments, for checks. A text: they are no JSON.
 * - `json`: the JSON text of the arguments, which is sent, shown, hashed and compared. Absent: that of `input`, which has the same
 *   numbers.
 * - `sent`: what the model wrote instead, where that was repaired.
 * - `invalid`: why it cannot be executed, as a sentence for the model.
 */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  json?: string;
  sent?: { name?: string; json?: string };
  invalid?: string;
}

/** The arguments of a call. */
export type CallArguments = Pick<ToolCall, "input" | "json">;

/** The arguments of a call as a value that `JSON.stringify` writes with the model's numbers. */
export function exactInput({ input, json }: CallArguments): unknown {
  return json === undefined ? input : parseExact(json);
}

export interface ToolResult {
  callId: string;
  name: string;
  /** Text for the model. With `error`: what was wrong, what was received and what is accepted. */
  text: string;
  error?: true;
  /** Workspace files to show to the model as they are: images and PDFs. */
  attachments?: Attachment[];
}

/** A workspace file. Its bytes are read at each model call and are never part of the journal. */
export interface Attachment {
  name: string;
  /** SHA-256 of the content that is shown. Absent: the file's content at the time of the model call. */
  sha256?: string;
  /** For example `image/png` or `application/pdf`. */
  mediaType: string;
  /** Pages of a PDF. Absent: unknown, or it is none. */
  pages?: number;
}

/** Why a model stopped. The finish reason is that of a turn. */
export type StopReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/**
 * That a model thought before its answer, in a text that the provider sent.
 * - `text`: absent while the answer's `echo` has it, so that it is stored once (`reasoningText`).
 * - `milliseconds`: absent when the text did not arrive in parts.
 */
export interface Reasoning {
  text?: string;
  milliseconds?: number;
}

/** A model's complete answer. Stored as JSON in the journal and replayed on resume. */
export interface ModelAnswer {
  text: string;
  toolCalls: ToolCall[];
  /** The stop reason. The name is stored. */
  finishReason: StopReason;
  usage: TokenUsage;
  /** For people: it is never sent to a model. Absent: the provider sent no text, or it is not to be shown. */
  reasoning?: Reasoning;
  /** The provider's original message (reasoning, signatures). It is sent back in later steps. */
  echo?: unknown;
}

/** A message of the conversation. `note`: written by the turn itself, not by the author of the input. */
export type Message =
  | { role: "user"; text: string; note?: true; attachments?: Attachment[] }
  | { role: "assistant"; answer: Pick<ModelAnswer, "text" | "toolCalls" | "echo"> }
  | { role: "tool"; results: ToolResult[] };

/** A tool as shown to the model. `input`: JSON Schema of an object. */
export interface ToolDefinition {
  name: string;
  description: string;
  input: object;
}

/**
 * How a request differs from the service's first choice for its provider, because the server is known to reject that, or
 * rejected it in this call.
 * - `compat`: the settings of the model server in force.
 * - `callsAsText`: tool calls and results of the conversation are sent as text.
 * - `withoutFiles`: a sentence is in place of each attachment.
 * - `withoutCachePoints`: the request has no cache points.
 * - `resultFormat`: how the model is made to answer with a result of a schema.
 * - `maxOutputTokens`: replaces the agent's.
 * - `imageLimit`: a sentence is in place of each picture beyond it.
 */
export interface RequestForm {
  compat?: OpenAiCompat;
  callsAsText?: boolean;
  withoutFiles?: boolean;
  withoutCachePoints?: boolean;
  resultFormat?: "native" | "tool";
  maxOutputTokens?: number;
  imageLimit?: ImageLimit;
}

/** Pictures that a model server accepts: pixels of the longer side, bytes. */
export interface ImageLimit {
  side?: number;
  bytes?: number;
}

/** One HTTP request of a model call. Stored as JSON in the journal. */
export interface SentRequest extends RequestForm {
  /** SHA-256 (hex) of the body. */
  sha256: string;
  /** Bytes of the body. */
  bytes: number;
  /** HTTP status of the response. Absent: none came. */
  status?: number;
  /** The provider's id of the request, from the response's headers. */
  requestId?: string;
}

/** What the provider says about its response, unchanged. Stored as JSON in the journal. */
export interface ReceivedResponse {
  /** The provider's id of the response. */
  id?: string;
  /** The model that answered, as the provider names it. */
  model?: string;
  /** Why the model stopped. */
  reason?: string;
  /** The object with token counts. Absent: there was none, or it has more than 2,000 characters. */
  usage?: object;
}

export interface ModelRequest {
  /** System prompt. */
  instructions: string;
  /** Oldest first. */
  messages: Message[];
  /** Empty: the model must answer with text. */
  tools: ToolDefinition[];
  /** Names of the tools that programs of callers run. Only the demo model tells them from others. */
  clientTools?: string[];
  parameters?: ModelParameters;
  /** Key of the provider's prompt cache: requests with the same key, such as those of a run, begin alike. At most 64 characters. */
  cacheKey?: string;
  /** JSON Schema of an object. If the model answers with text, the text is to be JSON that fits it. */
  result?: object;
  /** Reads an attachment. Undefined when its content is no longer kept. */
  readAttachment?: (attachment: Attachment) => Promise<Uint8Array | undefined>;
  signal: AbortSignal;
  /**
   * Called with the text of the answer so far, and with the reasoning that the server separates from it, when a part of one
   * arrives. A repeated HTTP request begins again.
   */
  onText?: (text: string, reasoning: string) => void;
  /** Called for each HTTP request of the call, when its response begins or it has failed. */
  onSent?: (request: SentRequest) => void;
}

/**
 * - `received`: what the provider says about its response. Absent: there was no provider.
 * - `contextWindow`: tokens that the server accepts at most. Absent: the server does not report it.
 * - `firstTokenMs`: milliseconds until the first part of the answer, or of the reasoning before it. Absent: there was none.
 */
export type ModelOutcome =
  | { answer: ModelAnswer; received?: ReceivedResponse; contextWindow?: number; firstTokenMs?: number }
  | ModelFailure;

/**
 * A failed model call.
 * - `retryAfterMs`: the delay that the provider asked for.
 * - `contextOverflow`: the request exceeds the model's context window; a shorter request may succeed.
 * - `refusedTools`: names of tools whose definitions the provider does not accept; a request without them may succeed.
 * - `begun`: the server answered with success, so the provider may charge for the call. `characters`: of the answer that arrived.
 * - `usage`: the token counts that the server reported for it.
 */
export interface ModelFailure {
  failure: Failure;
  retryAfterMs?: number;
  contextOverflow?: true;
  refusedTools?: string[];
  begun?: true;
  characters?: number;
  usage?: TokenUsage;
}

/**
 * One model call.
 * - Provider errors resolve with a `failure`; they never reject.
 * - When `signal` aborts, it closes the connection and rejects with the signal's reason.
 */
export type Model = (request: ModelRequest) => Promise<ModelOutcome>;
