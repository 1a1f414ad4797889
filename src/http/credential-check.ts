import { ServiceError } from "../errors.ts";
import { HttpError } from "./errors.ts";
import type { ApiRequest, StreamBody } from "./handler.ts";

/** Milliseconds after which the credential of a request in progress is checked again. */
const interval = 3_000;

/** Checks the credential of a request that lasts: its body arrives slowly, or its response is a stream. */
export interface CredentialCheck {
  /** Checks it if the last check is over 3 s old. Rejects if the credential has ended. */
  ifDue: () => Promise<void>;
  /** The request, whose body is refused when the credential ends before it has arrived. */
  guardBody: (request: ApiRequest) => ApiRequest;
  /** The stream, which ends within 3 s of the credential. */
  guardStream: (body: StreamBody) => StreamBody;
}

/** `authenticate`: of the request, which has just succeeded. */
export function credentialCheck(authenticate: () => Promise<unknown>): CredentialCheck {
  let checkedAt = performance.now();

  const isDue = (): boolean => performance.now() - checkedAt >= interval;

  async function ifDue(): Promise<void> {
    if (!isDue()) return;
    checkedAt = performance.now();
    await check();
  }

  /** A store that cannot be read ends nothing: the next check follows. */
  const check = (): Promise<unknown> =>
    authenticate().catch((error: unknown) => {
      if (hasEnded(error)) throw error;
    });

  async function* guardChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await ifDue();
      yield chunk;
    }
    await ifDue();
  }

  return {
    ifDue,
    guardBody(request) {
      const { parseBody, bodyChunks } = request;
      return {
        ...request,
        parseBody: (parse) => parseBody((raw) => (isDue() ? ifDue().then(() => parse(raw)) : parse(raw))),
        ...(bodyChunks && { bodyChunks: () => guardChunks(bodyChunks()) }),
      };
    },
    guardStream: (body) =>
      async function* (signal) {
        const ended = new AbortController();
        const timer = setInterval(() => void check().catch(() => ended.abort()), interval).unref();
        try {
          for await (const part of body(AbortSignal.any([signal, ended.signal]))) {
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
