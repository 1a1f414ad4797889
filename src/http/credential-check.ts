import { ServiceError } from "../errors.ts";
import { HttpError } from "./errors.ts";
import type { ApiRequest, StreamBody } from "./handler.ts";

/** Milliseconds after which the credential of a request in progress is checked again. */
const interval = 3_000;

/** Checks the credential of a request that lasts: its body arrives slowly, or its response is a stream. */
export interface CredentialCheck<Principal> {
  /** The caller. Checks the credential if the last check is over 3 s old, and rejects if it has ended. */
  caller: () => Promise<Principal>;
  /** The request, whose body is refused when the credential ends before it has arrived. */
  guardBody: (request: ApiRequest) => ApiRequest;
  /**
   * The stream, which ends within 3 s of the credential, or of a change of what that gives: an agent of the key is deleted.
   * `asWhole`: it is an answer of unknown length, and throws instead, so that its client sees that it is cut.
   */
  guardStream: (body: StreamBody, options?: { asWhole?: boolean }) => StreamBody;
}

/** `first`: the caller, as `authenticate` of the request has just found it. */
export function credentialCheck<Principal>(
  first: Principal,
  authenticate: () => Promise<Principal>,
): CredentialCheck<Principal> {
  let checkedAt = performance.now();
  let found = first;

  const isDue = (): boolean => performance.now() - checkedAt >= interval;

  async function caller(): Promise<Principal> {
    if (isDue()) {
      checkedAt = performance.now();
      await check();
    }
    return found;
  }

  /** A store that cannot be read ends nothing: the next check follows. */
  async function check(): Promise<void> {
    try {
      found = await authenticate();
    } catch (error) {
      if (hasEnded(error)) throw error;
    }
  }

  async function isAsBefore(): Promise<boolean> {
    await check();
    return JSON.stringify(found) === JSON.stringify(first);
  }

  async function* guardChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await caller();
      yield chunk;
    }
    await caller();
  }

  return {
    caller,
    guardBody(request) {
      const { parseBody, bodyChunks } = request;
      return {
        ...request,
        parseBody: (parse) => parseBody((raw) => (isDue() ? caller().then(() => parse(raw)) : parse(raw))),
        ...(bodyChunks && { bodyChunks: () => guardChunks(bodyChunks()) }),
      };
    },
    guardStream: (body, { asWhole = false } = {}) =>
      async function* (signal) {
        const ended = new AbortController();
        const endIfChanged = (): Promise<void> =>
          isAsBefore().then(
            (same) => void (same || ended.abort()),
            () => ended.abort(),
          );
        const timer = setInterval(() => void endIfChanged(), interval).unref();
        try {
          for await (const part of body(AbortSignal.any([signal, ended.signal]))) {
            if (ended.signal.aborted && asWhole) throw new Error("the credential ended before its response was sent");
            if (ended.signal.aborted) return;
            yield part;
          }
        } finally {
          clearInterval(timer);
        }
      },
  };
}

/** Whether an error says that a credential is not accepted any more. */
function hasEnded(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 401 || error.status === 403;
  return error instanceof ServiceError && endCodes.has(error.code);
}

const endCodes = new Set(["key_missing", "key_invalid", "key_expired", "agent_deleted"]);
