import type { MetadataExtractor } from "@ai-sdk/openai-compatible";
import type { JSONValue, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isObject } from "../../json.ts";

type Detail = { [field: string]: JSONValue };

/** Texts that a detail is sent in pieces of. */
const pieces = new Set(["text", "summary", "data"]);

/**
 * Collects OpenRouter's `reasoning_details`, with which a model's answer has to go back: Gemini refuses calls without
 * its signatures in them. https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks
 */
export const reasoningDetails: MetadataExtractor = {
  extractMetadata: async () => undefined,
  createStreamExtractor() {
    const details: Detail[] = [];
    return {
      processChunk(chunk) {
        for (const detail of detailsIn(chunk)) add(details, detail);
      },
      buildMetadata: () => (details.length > 0 ? { openaiCompatible: { reasoning_details: details } } : undefined),
    };
  },
};

/** What of an answer's metadata is a field of its message when it goes back. */
export function messageFields(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const details = metadata?.["openaiCompatible"]?.["reasoning_details"];
  return details === undefined ? undefined : { openaiCompatible: { reasoning_details: details } };
}

function detailsIn(chunk: unknown): Detail[] {
  const choices = isObject(chunk) && Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];
  const { reasoning_details } = (isObject(choices[0]?.["delta"]) ? choices[0]["delta"] : {}) as {
    reasoning_details?: unknown;
  };
  return Array.isArray(reasoning_details) ? (reasoning_details.filter(isObject) as Detail[]) : [];
}

/** A piece goes on with the last detail when that has its index and type. */
function add(details: Detail[], piece: Detail): void {
  const last = details.at(-1);
  const goesOn =
    last && piece["index"] !== undefined && last["index"] === piece["index"] && last["type"] === piece["type"];
  if (!goesOn) return void details.push({ ...piece });
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    const joined = pieces.has(name) && typeof before === "string" && typeof value === "string";
    if (joined) last[name] = before + value;
    else if (value !== null) last[name] = value;
  }
}
