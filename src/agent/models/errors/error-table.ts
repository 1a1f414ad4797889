import type { Failure, ModelFailure } from "../../model.ts";
import { readProviderError } from "./provider-error.ts";

/** What a remedy can name. */
interface Server {
  model: string;
  credentials: string;
  provider: string;
  /** Base URL, or the provider's name. */
  address: string;
}

interface Diagnosis {
  /** First and last HTTP status with which `errorRules` apply. */
  statuses?: readonly [number, number];
  category: Failure["category"];
  remedy: (server: Server) => string;
  retryable?: true;
  contextOverflow?: true;
}

const clientErrors = [400, 499] as const;

const diagnoses = {
  contextOverflow: {
    statuses: [400, 500], // local servers use 500, and so do errors in a stream that name no status
    category: "model_refused",
    remedy: ({ model }) => `Set the agent's contextTokens to the context window of '${model}', or use a smaller task.`,
    contextOverflow: true,
  },
  unsupportedTemplate: {
    statuses: [500, 500],
    category: "model_refused",
    remedy: ({ model }) =>
      `Check how the model server runs '${model}': its chat template does not support this request.`,
  },
  contentFiltered: {
    statuses: clientErrors,
    category: "model_refused",
    remedy: () => "Change the input or the agent's instructions, or use a model with another content filter.",
  },
  rejected: {
    category: "model_refused",
    remedy: ({ model }) => `Check that '${model}' supports tools and that the input fits its context window.`,
  },
  reasoningRejected: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: ({ model }) => `Remove parameters.reasoningEffort from the agent, or set a value that '${model}' supports.`,
  },
  tierRejected: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: ({ model }) =>
      `Remove parameters.serviceTier from the agent, or set a tier that the server has for '${model}'.`,
  },
  temperatureRejected: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: ({ model }) => `Remove parameters.temperature from the agent, or set a value that '${model}' supports.`,
  },
  outputLimitRejected: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: ({ model }) => `Set the agent's parameters.maxOutputTokens to a value that '${model}' supports.`,
  },
  toolsRejected: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: () => "Use a model that supports tools, or an agent with an empty list of tools and without MCP servers.",
  },
  toolDefinitionRejected: {
    statuses: clientErrors,
    category: "model_refused",
    remedy: () =>
      "The provider does not accept the definition of a tool. Repair its schema; of an MCP server, name the other tools that the " +
      "agent needs (mcp, tools).",
  },
  unknownModel: { statuses: clientErrors, category: "model_configuration", remedy: checkModel },
  noCredit: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: () => "Check the provider account's credit.",
  },
  badCredentials: {
    statuses: clientErrors,
    category: "model_configuration",
    remedy: ({ credentials }) => `Check ${credentials}.`,
  },
  notFound: { category: "model_configuration", remedy: checkModel },
  redirected: {
    category: "model_configuration",
    remedy: () => "Set the base URL to the address that the server redirects to.",
  },
  temporary: { category: "model_unavailable", remedy: () => "Retried automatically.", retryable: true },
  rateLimited: {
    category: "model_unavailable",
    remedy: () => "Retried automatically; raise the provider's rate limits.",
    retryable: true,
  },
  unavailable: {
    category: "model_unavailable",
    remedy: () => "Retried automatically; see the provider's status page.",
    retryable: true,
  },
} satisfies Record<string, Diagnosis>;

/** Base URLs of almost all servers end in a version: LiteLLM documents its Messages API without, which is 404. */
function checkModel({ model, provider, address }: Server): string {
  const needsVersion = provider !== "bedrock" && !/\/v\d/.test(address);
  const baseUrl = needsVersion ? "base URL (most servers need one that ends in /v1)" : "base URL";
  return `Check the ${baseUrl} and that the server has the model '${model}'.`;
}

interface ErrorRule {
  diagnosis:
    | "contextOverflow"
    | "unsupportedTemplate"
    | "reasoningRejected"
    | "tierRejected"
    | "temperatureRejected"
    | "outputLimitRejected"
    | "toolsRejected"
    | "toolDefinitionRejected"
    | "unknownModel"
    | "noCredit"
    | "contentFiltered"
    | "badCredentials";
  vendors: string;
  pattern: RegExp;
  /** A message of the first vendor. */
  example: string;
}

/** Errors that are recognized by text, because vendors use different statuses for them. The first match applies. */
export const errorRules: readonly ErrorRule[] = [
  {
    diagnosis: "contextOverflow",
    vendors: "OpenAI, Azure, vLLM",
    pattern: /context_length_exceeded|context length|context window|reduce the length|must be reduced/i,
    example: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Azure, GitHub Models",
    pattern: /tokens_limit_reached|max_prompt_tokens_exceeded/i,
    example: '"code":"tokens_limit_reached"',
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Anthropic",
    pattern: /prompt is too long|exceed context limit|request_too_large/i,
    example: "prompt is too long: 208310 tokens > 200000 maximum",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Bedrock",
    pattern: /input is too long|input tokens exceeded/i,
    example: "Input is too long for requested model.",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Gemini",
    pattern: /token count .{0,40}exceeds/i,
    example: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Mistral",
    pattern: /too large for model/i,
    example: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "xAI",
    pattern: /maximum prompt length/i,
    example: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    // The request exceeds the rate limit for one minute, so that a retry fails too.
    diagnosis: "contextOverflow",
    vendors: "Groq",
    pattern: /reduce your message size/i,
    example:
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7500, please reduce your " +
      "message size and try again.",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "llama.cpp",
    pattern: /context[ _]size/i,
    example: "the request exceeds the available context size. try increasing the context size or enable context shift",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "LM Studio",
    pattern: /context the overflows|context overflow/i,
    example: "Trying to keep the first 4563 tokens when context the overflows.",
  },
  {
    diagnosis: "contextOverflow",
    vendors: "Together",
    pattern: /max_new_tokens. must be/i,
    example: "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8200 `inputs` tokens and 0 `max_new_tokens`",
  },
  {
    diagnosis: "unsupportedTemplate",
    vendors: "llama.cpp, LM Studio",
    pattern: /jinja|chat template|parse messages/i,
    example: "tools param requires --jinja flag",
  },
  {
    diagnosis: "reasoningRejected",
    vendors: "Ollama",
    pattern: /does not support thinking|thinking is not supported/i,
    example: '"tinytools" does not support thinking',
  },
  {
    diagnosis: "reasoningRejected",
    vendors: "OpenAI, Groq, xAI, LiteLLM",
    pattern: /reasoning[._]?effort/i,
    example: "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
  },
  {
    diagnosis: "tierRejected",
    vendors: "OpenAI",
    pattern: /service[._]?tier/i,
    example: "Unsupported service_tier: flex",
  },
  {
    diagnosis: "temperatureRejected",
    vendors: "OpenAI, Anthropic, LiteLLM",
    pattern:
      /'temperature' (does not support|is not supported)|support temperature=|`temperature` (is deprecated|may only)/,
    example:
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
  },
  {
    diagnosis: "outputLimitRejected",
    vendors: "OpenAI, Anthropic, DeepSeek",
    pattern:
      /max_(completion_)?tokens is too large|'max_output_tokens'|maximum allowed number of output tokens|Invalid max_tokens value/,
    example:
      "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
  },
  {
    diagnosis: "toolsRejected",
    vendors: "Ollama, OpenRouter",
    pattern: /does not support tools|support tool use/,
    example: "registry.ollama.ai/library/gemma:2b does not support tools",
  },
  {
    diagnosis: "toolDefinitionRejected",
    vendors: "OpenAI, Azure, Groq",
    pattern: /invalid schema for function|invalid_function_parameters|tool_schema|regex lookaround/i,
    example:
      "Invalid schema for function 'crm__find': reference to component '#/$defs/F' which was not found in the schema.",
  },
  {
    diagnosis: "toolDefinitionRejected",
    vendors: "Anthropic, Gemini, Bedrock",
    pattern: /\btools\.\d+\.\S*input_?schema|function_declarations\[\d+\]\.parameters/i,
    example: "tools.3.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
  },
  {
    diagnosis: "unknownModel",
    vendors: "LiteLLM",
    pattern: /invalid model name passed/i,
    example:
      "/chat/completions: Invalid model name passed in model=nosuchmodel. Call `/v1/models` to view available models " +
      "for your key.",
  },
  {
    diagnosis: "unknownModel",
    vendors: "DeepSeek, Mistral, Bedrock",
    pattern: /model not exist|^invalid model: |provided model identifier is invalid/i,
    example: "Model Not Exist",
  },
  {
    // By code or type: Gemini uses the same message for a rate limit of one minute.
    diagnosis: "noCredit",
    vendors: "OpenAI, Moonshot, Zhipu, Alibaba",
    pattern: /"(insufficient_quota|billing_\w+|exceeded_current_quota_error|1113|Arrearage)"/i,
    example: '"code":"insufficient_quota"',
  },
  {
    // LiteLLM drops OpenAI's code. Gemini's rate limit of one minute has the same message and its own status.
    diagnosis: "noCredit",
    vendors: "OpenAI behind LiteLLM",
    pattern:
      /^(?![^]*(RESOURCE_EXHAUSTED|Quota exceeded for|ai\.google\.dev|retryDelay))[^]*exceeded your current quota, please check your plan and billing/i,
    example:
      "litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan " +
      "and billing details.",
  },
  {
    diagnosis: "noCredit",
    vendors: "Anthropic, DeepSeek",
    pattern: /credit balance is too low|insufficient balance/i,
    example: "Your credit balance is too low to access the Anthropic API.",
  },
  {
    diagnosis: "contentFiltered",
    vendors: "Azure, OpenAI, Alibaba",
    pattern: /"(content_filter|content_policy_violation|ResponsibleAIPolicyViolation|data_inspection_failed)"/,
    example: '"code":"content_filter"',
  },
  {
    diagnosis: "contentFiltered",
    vendors: "Azure behind LiteLLM",
    pattern: /content management policy|ContentPolicyViolationError/,
    example:
      "litellm.BadRequestError: OpenAIException - The response was filtered due to the prompt triggering Azure OpenAI's " +
      "content management policy. Please modify your prompt and retry.",
  },
  {
    diagnosis: "badCredentials",
    vendors: "Gemini",
    pattern: /api key not valid|invalid api key/i,
    example: "API key not valid. Please pass a valid API key.",
  },
];

/** Errors that only their status tells apart. */
const byStatus: Partial<Record<number, keyof typeof diagnoses>> = {
  401: "badCredentials",
  402: "noCredit",
  403: "badCredentials",
  404: "notFound",
  408: "temporary",
  409: "temporary",
  424: "temporary", // Bedrock: the model failed
  425: "temporary",
  429: "rateLimited",
};

/** The failure for an error response. `title`: what happened, with the provider's message. */
export function diagnose(
  { status, text }: { status: number; text: string },
  title: string,
  server: Server,
): ModelFailure {
  const rule = errorRules.find(({ diagnosis, pattern }) => {
    const [first, last] = diagnoses[diagnosis].statuses;
    return status >= first && status <= last && pattern.test(text);
  });
  const fallback = status < 400 ? "redirected" : status < 500 ? "rejected" : "unavailable";
  const diagnosis: Diagnosis = diagnoses[rule?.diagnosis ?? byStatus[status] ?? fallback];
  const { category, remedy, retryable = false, contextOverflow } = diagnosis;
  return {
    failure: { category, title, remedy: remedy(server), retryable },
    ...(contextOverflow && { contextOverflow }),
  };
}

const files = "(image|vision|multimodal|file|pdf|document|content part|content type)";
const unsupported = "(not|n't|un) ?support";
/**
 * The model does not accept files. OpenRouter (404): "No endpoints found that support image input". llama.cpp (500):
 * "image input is not supported". OpenAI (400): "Invalid content type. image_url is only supported by certain models."
 */
const rejectedFiles = new RegExp(`support ${files}|${unsupported}.*${files}|${files}.*${unsupported}`, "i");

/** Whether a request with files may succeed without them. */
export function isAttachmentRejection({ category, title }: Failure): boolean {
  return category === "model_refused" || rejectedFiles.test(title);
}

/** The server could not parse a tool call of its model. Groq reports it with status 400 or in the stream. */
export function isMalformedToolCall(error: unknown): boolean {
  return readProviderError(error)?.text.includes('"code":"tool_use_failed"') ?? false;
}
