import type { JSONValue, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isObject } from "../../../json.ts";

export type Detail = { [field: string]: JSONValue };

/** Text fields that are streamed in parts. */
const textFields = new Set(["text", "summary", "data"]);

/**
 * Collects OpenRouter's `reasoning_details`, which must be sent back with the response: Gemini rejects tool calls without
 * the signatures in them. https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks
 */
export function addDetails(details: Detail[], parts: unknown[]): void {
  for (const part of parts) if (isObject(part)) appendDetail(details, part as Detail);
}

/** The metadata of a response that is sent back as fields of its message. */
export function messageFields(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const details = metadata?.["openaiCompatible"]?.["reasoning_details"];
  return details === undefined ? undefined : { openaiCompatible: { reasoning_details: details } };
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
