import type { JSONObject, JSONSchema7, LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Attachment, ModelRequest } from "../model.ts";
import type { AttachmentContent } from "./attachments.ts";
import { originOf, type ProviderAdapter } from "./provider-adapter.ts";
import type { FormedRequest } from "./openai/result-format.ts";
import { toPrompt } from "./to-prompt.ts";

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
      callIds: adapter.callIds,
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

function toFunctionTool({ name, description, input }: ModelRequest["tools"][number]) {
  return { type: "function" as const, name, description, inputSchema: input as JSONSchema7 };
}
