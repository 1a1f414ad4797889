import type { MetadataExtractor } from "@ai-sdk/openai-compatible";
import type { JSONValue, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isObject } from "../../json.ts";

type Detail = { [field: string]: JSONValue };

/** Text fields that are streamed in parts. */
const textFields = new Set(["text", "summary", "data"]);

/**
 * Collects OpenRouter's `reasoning_details`, which must be sent back with the response: Gemini rejects tool calls without
 * the signatures in them. https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks
 */
export const reasoningDetails: MetadataExtractor = {
  extractMetadata: async () => undefined,
  createStreamExtractor() {
    const details: Detail[] = [];
    return {
      processChunk(chunk) {
        for (const detail of readDetails(chunk)) appendDetail(details, detail);
      },
      buildMetadata: () => (details.length > 0 ? { openaiCompatible: { reasoning_details: details } } : undefined),
    };
  },
};

/** The metadata of a response that is sent back as fields of its message. */
export function messageFields(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const details = metadata?.["openaiCompatible"]?.["reasoning_details"];
  return details === undefined ? undefined : { openaiCompatible: { reasoning_details: details } };
}

function readDetails(chunk: unknown): Detail[] {
  const choices = isObject(chunk) && Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];
  const { reasoning_details } = (isObject(choices[0]?.["delta"]) ? choices[0]["delta"] : {}) as {
    reasoning_details?: unknown;
  };
  return Array.isArray(reasoning_details) ? (reasoning_details.filter(isObject) as Detail[]) : [];
}

/** Appends a streamed part to the last detail if index and type are the same. */
function appendDetail(details: Detail[], part: Detail): void {
  const last = details.at(-1);
  const continues =
    last && part["index"] !== undefined && last["index"] === part["index"] && last["type"] === part["type"];
  if (!continues) return void details.push({ ...part });
  for (const [name, value] of Object.entries(part)) {
    const before = last[name];
    const joined = textFields.has(name) && typeof before === "string" && typeof value === "string";
    if (joined) last[name] = before + value;
    else if (value !== null) last[name] = value;
  }
}
