import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Item } from "./expressions.ts";
import { failed, fakeTable, type TableResponse } from "./table.ts";

/**
 * The outcome of an attempt.
 * - `throttled`, `refused`: an error response; the call has no effect.
 * - `lost-before`, `lost-after`: a time-out; the call has no effect, or it has.
 */
export type Fault = "throttled" | "refused" | "lost-before" | "lost-after";

/** Chooses the fault of an attempt. `call` counts calls of the client; its retries of one call are attempts. */
export type FaultAt = (call: number, attempt: number) => Fault | undefined;

/**
 * The real DynamoDB client over a table in memory. It sends, parses and retries as on AWS, but without signatures, which cost
 * a tenth of a call, and without delays between attempts. `beforeAnswer`: runs before each response.
 */
export function fakeDocumentClient(
  faultAt: FaultAt = () => undefined,
  beforeAnswer = async (): Promise<void> => {},
  conflicts = false,
) {
  const { items, perform } = fakeTable();
  const inProgress = new Set<string>();
  const seen = new Map<string, { call: number; attempts: number }>();

  async function handle(request: { headers: Record<string, string>; body: unknown }) {
    const id = request.headers["amz-sdk-invocation-id"] ?? "";
    const call = seen.get(id) ?? { call: seen.size + 1, attempts: 0 };
    seen.set(id, call);
    const fault = faultAt(call.call, ++call.attempts);
    const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    const input = JSON.parse(bodyOf(request.body)) as Record<string, unknown>;
    const keys = conflicts && operation === "TransactWriteItems" ? keysOf(input) : [];
    const CancellationReasons = keys.map((key) => ({ Code: inProgress.has(key) ? "TransactionConflict" : "None" }));
    const isConflict = CancellationReasons.some(({ Code }) => Code !== "None");
    if (!isConflict) for (const key of keys) inProgress.add(key);
    await beforeAnswer();
    if (isConflict) return toHttp(failed("TransactionCanceledException", "Canceled.", { CancellationReasons }));
    for (const key of keys) inProgress.delete(key);
    if (fault === "throttled") return toHttp(failed("ThrottlingException", "Slow down."));
    if (fault === "refused") return toHttp(failed("AccessDeniedException", "Access denied."));
    if (fault === "lost-before") throw timeout();
    const response = toHttp(perform(operation, input));
    if (fault === "lost-after") throw timeout();
    return response;
  }

  const client = new DynamoDBClient({
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    signer: { sign: async (request) => request },
    requestHandler: { handle: handle as never, metadata: { handlerProtocol: "http/1.1" } },
    retryStrategy: immediateRetries(3),
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return { documents, items, calls: () => seen.size };
}

/** The keys of a transaction's items. */
function keysOf({ TransactItems = [] }: { TransactItems?: Record<string, { Key?: object; Item?: Item }>[] }): string[] {
  return TransactItems.map((each) => {
    const { Key, Item: { pk, sk } = {} } = Object.values(each)[0] ?? {};
    return JSON.stringify(Key ?? { pk, sk });
  });
}

/** The SDK's standard retries without delays. */
function immediateRetries(attempts: number) {
  return {
    mode: "standard",
    acquireInitialRetryToken: async () => retryToken(0),
    refreshRetryTokenForRetry: async (token: { getRetryCount(): number }, error: { errorType: string }) => {
      const count = token.getRetryCount() + 1;
      if (count >= attempts || error.errorType === "CLIENT_ERROR") throw new Error("no attempt is left");
      return retryToken(count);
    },
    recordSuccess: () => {},
  };
}

function retryToken(count: number) {
  return { getRetryCount: () => count, getRetryDelay: () => 0 };
}

function toHttp({ status, body }: TableResponse) {
  const bytes = Buffer.from(JSON.stringify(body));
  return { response: { statusCode: status, headers: { "content-type": "application/x-amz-json-1.0" }, body: bytes } };
}

function bodyOf(body: unknown): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
}

function timeout(): Error {
  return Object.assign(new Error("socket hang up"), { name: "TimeoutError", code: "ECONNRESET" });
}
