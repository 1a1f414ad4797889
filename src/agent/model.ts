export const failureCategories = [
  "model_configuration",
  "model_refused",
  "model_unavailable",
  "model_answer",
  "limit",
  "internal",
] as const;

/**
 * Why something did not work, for the operator who has to fix it.
 * `category` is stable and countable; `title` and `remedy` are sentences; `retryable`: waiting may help.
 */
export interface Failure {
  category: (typeof failureCategories)[number];
  title: string;
  remedy: string;
  retryable: boolean;
}

/** What an agent asks of its model beyond the provider's defaults. */
export interface ModelParameters {
  /** 0 to 2. */
  temperature?: number;
  /** Tokens of one answer. */
  maxOutputTokens?: number;
  reasoningEffort?: "low" | "medium" | "high";
}

/**
 * Which model an organization's agents run on. `secret` names where the provider's API key is, never what it is:
 * `env:NAME` or `file:PATH` on one machine, `secretsmanager:NAME` on AWS. `baseUrl` leads past the provider's own
 * address. Bedrock is called with the AWS credentials of the process (`AWS_ACCESS_KEY_ID` and so on).
 */
export type ModelConfiguration = { enabled: boolean } & (
  | { provider: "demo" }
  | { provider: "openai-compatible"; baseUrl: string; model: string; secret?: string }
  | { provider: "anthropic"; model: string; secret: string; baseUrl?: string }
  | { provider: "bedrock"; model: string; region: string; baseUrl?: string }
);

/** Tokens of one model call. */
export interface TokenUsage {
  /** Those of the cache included. */
  inputTokens: number;
  /** Those of reasoning included. */
  outputTokens: number;
  /** Read from the provider's cache. */
  cachedInputTokens?: number;
  /** Written to the provider's cache, as far as it counts that. */
  cacheWriteInputTokens?: number;
  reasoningTokens?: number;
}

/** A tool call as the model asked for it. `invalid`: why it can't be run, as a sentence for the model. */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  invalid?: string;
}

export interface ToolResult {
  callId: string;
  name: string;
  /** Text for the model; with `error`, what was wrong, what was received and what is accepted. */
  text: string;
  error?: true;
  /** Files of the workspace that the model is to see as they are: images and PDFs. */
  attachments?: Attachment[];
}

/** A file of the workspace by its name; its bytes are read when the model is called, and never recorded. */
export interface Attachment {
  name: string;
  /** Such as `image/png` or `application/pdf`. */
  mediaType: string;
}

/** One complete answer of a model. JSON-serialisable: it is recorded and replayed as it is. */
export interface ModelAnswer {
  text: string;
  toolCalls: ToolCall[];
  finishReason: "stop" | "tool-calls" | "length" | "content-filter" | "other";
  usage: TokenUsage;
  /** The provider's own message, echoed back to it in later steps (reasoning, signatures). */
  echo?: unknown;
}

/** The conversation so far, oldest first. `note`: said by the turn itself, not by whoever gave the input. */
export type Message =
  | { role: "user"; text: string; note?: true; attachments?: Attachment[] }
  | { role: "assistant"; answer: Pick<ModelAnswer, "text" | "toolCalls" | "echo"> }
  | { role: "tool"; results: ToolResult[] };

/** A tool as the model sees it. `input` is a JSON Schema of an object. */
export interface ToolDefinition {
  name: string;
  description: string;
  input: object;
}

export interface ModelRequest {
  instructions: string;
  messages: Message[];
  /** Empty: the model has to answer with text. */
  tools: ToolDefinition[];
  parameters?: ModelParameters;
  /** The bytes of an attachment; undefined when the file is gone, of which the model is told. */
  readAttachment?: (name: string) => Promise<Uint8Array | undefined>;
  signal: AbortSignal;
}

export type ModelOutcome = { answer: ModelAnswer } | ModelFailure;

/**
 * `retryAfterMs`: the delay the provider asked for. `contextOverflow`: the request does not fit the model's window, a
 * shorter one may.
 */
export interface ModelFailure {
  failure: Failure;
  retryAfterMs?: number;
  contextOverflow?: true;
}

/**
 * One model call. Never rejects for provider trouble: that is a `failure`, which says whether waiting may help.
 * Honours `signal` by closing the connection and rejecting with the signal's reason.
 */
export type Model = (request: ModelRequest) => Promise<ModelOutcome>;
