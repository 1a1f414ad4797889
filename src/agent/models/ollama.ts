import { isObject } from "../../json.ts";
import { createModelFetch, UnexpectedContentType } from "./errors/http-client.ts";

/** Value of `system_fingerprint` in every response of Ollama. */
export const ollamaFingerprint = "fp_ollama";

const requestMilliseconds = 2_000;

interface OllamaModel {
  /** For example `http://127.0.0.1:11434/v1`. Ollama's own API is at `/api` of the same address. */
  baseUrl: string;
  model: string;
  apiKey?: string | undefined;
}

/**
 * Context window in tokens with which Ollama runs a model that is loaded. Undefined: not loaded, or not Ollama. Ollama cuts
 * longer inputs without an error.
 */
export async function loadedWindow(server: OllamaModel): Promise<number | undefined> {
  const { value } = await request(server, "ps");
  const models = Array.isArray(value?.["models"]) ? value["models"].filter(isObject) : [];
  const found = models.find(({ name }) => name === server.model || name === `${server.model}:latest`);
  return toTokens(found?.["context_length"]);
}

/** Asks Ollama once, and again after an input that exceeds the window: then the model was loaded with another window. */
export function askedWindow(server: OllamaModel): (inputTokens: number) => Promise<number | undefined> {
  let known: Promise<number | undefined> | undefined;
  return async (inputTokens) => {
    const window = await (known ??= loadedWindow(server));
    if (window === undefined || inputTokens <= window) return window;
    return (known = loadedWindow(server));
  };
}

/**
 * Context window that Ollama will use. `tokens` is undefined when the model is not loaded and does not set `num_ctx`: then
 * the server's default applies, which no request reports. Undefined: not Ollama.
 */
export async function expectedWindow(
  server: OllamaModel,
): Promise<{ tokens?: number } | "unreachable" | "unknown model" | undefined> {
  const loaded = await loadedWindow(server);
  if (loaded !== undefined) return { tokens: loaded };
  const { status, value: shown } = await request(server, "show", { model: server.model });
  if (status === undefined) return "unreachable";
  if (status === 404 && /\bmodel\b/.test(String(shown?.["error"]))) return "unknown model"; // "model 'm' not found"
  const info = shown?.["model_info"];
  if (!shown || !isObject(info)) return undefined;
  const trained = toTokens(Object.entries(info).find(([name]) => name.endsWith(".context_length"))?.[1]);
  const { parameters } = shown;
  const configured = toTokens(/^num_ctx\s+(\d+)/m.exec(typeof parameters === "string" ? parameters : "")?.[1]);
  if (configured === undefined) return {};
  return { tokens: Math.min(configured, trained ?? configured) };
}

/** A request to Ollama's own API. `status` is undefined when there is no response within 2 s. */
async function request(
  { baseUrl, apiKey }: OllamaModel,
  path: string,
  body?: object,
): Promise<{ status: number | undefined; value?: Record<string, unknown> }> {
  let status: number | undefined;
  const fetch = createModelFetch({ idleTimeout: requestMilliseconds, type: /json/ });
  try {
    const response = await fetch(`${baseUrl.replace(/\/v1\/?$/, "")}/api/${path}`, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      signal: AbortSignal.timeout(requestMilliseconds),
    });
    status = response.status;
    const value: unknown = await response.json();
    return { status, ...(isObject(value) && { value }) };
  } catch (error) {
    return { status: error instanceof UnexpectedContentType ? 200 : status };
  }
}

function toTokens(value: unknown): number | undefined {
  const tokens = Number(value);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : undefined;
}
