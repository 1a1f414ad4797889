import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { RequestForm, SentRequest } from "../../model.ts";

/** A model call in progress. It may take several HTTP requests. */
interface Exchange {
  /** Form of the next request. */
  form: RequestForm;
  onSent?: (request: SentRequest) => void;
  /** The last token counts that the server has reported for the current response. */
  usage?: LanguageModelV4Usage | undefined;
}

/** The SDK's providers are shared by concurrent calls and do not pass a context to `fetch`. */
const exchanges = new AsyncLocalStorage<Exchange>();

/** Makes a model call. `onSent` is called after the head of each HTTP response, or after a request that got none. */
export function watchRequests<Result>(
  onSent: ((request: SentRequest) => void) | undefined,
  call: () => Promise<Result>,
): Promise<Result> {
  return exchanges.run({ form: {}, ...(onSent && { onSent }) }, call);
}

/** Records token counts of the current call, wherever the returned function is called. */
export function usageListener(): (usage: LanguageModelV4Usage) => void {
  const exchange = exchanges.getStore();
  return (usage) => void (exchange && (exchange.usage = usage));
}

/** The token counts that the server has reported in its last response of the current call, which may have failed. */
export function reportedUsage(): LanguageModelV4Usage | undefined {
  return exchanges.getStore()?.usage;
}

/** Says how the next requests of this call differ from the service's first choice. False: no longer in this respect. */
export function setRequestForm(change: RequestForm): void {
  const exchange = exchanges.getStore();
  if (!exchange) return;
  const form = Object.entries({ ...exchange.form, ...change }).filter(([, value]) => value !== false);
  exchange.form = Object.fromEntries(form);
}

/** Headers with the provider's id of a request: OpenAI and others, Anthropic, AWS. */
const idHeaders = ["x-request-id", "request-id", "x-amzn-requestid"];

/** Characters of a request's id. Those of all providers are shorter. */
const maxIdCharacters = 256;

/** Begins a request of the current call. Returns a function that reports it: with the head of the response, if one came. */
export function beginRequest(body: unknown): (head?: { status: number; headers: Headers }) => void {
  const exchange = exchanges.getStore();
  if (exchange) exchange.usage = undefined;
  if (!exchange?.onSent || (typeof body !== "string" && !(body instanceof Uint8Array))) return () => {};
  const { form, onSent } = exchange;
  const sent: SentRequest = { sha256: hash("sha256", body), bytes: Buffer.byteLength(body), ...form };
  return (head) => {
    const id = idHeaders.map((name) => head?.headers.get(name)).find((value) => value);
    const answered = head && { status: head.status, ...(id && { requestId: id.slice(0, maxIdCharacters) }) };
    onSent({ ...sent, ...answered });
  };
}
