import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Attribute, type Expressions, type Item, meets, updated } from "./expressions.ts";

/**
 * What becomes of a call: `throttled` and `refused` are answered so and have no effect, `lost-before` and `lost-after`
 * get no answer, with and without having taken effect.
 */
export type Fault = "throttled" | "refused" | "lost-before" | "lost-after";

/** Asked before each attempt of each call; `call` counts the client's calls, not its own retries of one. */
export type FaultAt = (call: number, attempt: number) => Fault | undefined;

type Write = Expressions & { Key?: Item; Item?: Item; ConditionExpression?: string; UpdateExpression?: string };
type Body = Write & Record<string, unknown>;

/**
 * DynamoDB as far as the stores use it, behind the SDK's own client: one table in memory, whole and consistent. The
 * client signs, sends, reads answers and tries again as it does on AWS, without waiting.
 */
export function dynamoDouble(faultAt: FaultAt = () => undefined) {
  const items = new Map<string, Item>();
  const transactions = new Set<string>();
  const seen = new Map<string, { call: number; attempts: number }>();

  async function handle(request: { headers: Record<string, string>; body: unknown }) {
    const id = request.headers["amz-sdk-invocation-id"] ?? "";
    const call = seen.get(id) ?? { call: seen.size + 1, attempts: 0 };
    seen.set(id, call);
    const fault = faultAt(call.call, ++call.attempts);
    if (fault === "throttled") return response(400, { __type: "ThrottlingException", message: "Slow down." });
    if (fault === "refused") return response(400, { __type: "AccessDeniedException", message: "No right." });
    if (fault === "lost-before") throw timeout();
    const answer = perform(String(request.headers["x-amz-target"]).split(".")[1] ?? "", bodyOf(request.body));
    if (fault === "lost-after") throw timeout();
    return answer;
  }

  function perform(operation: string, body: string) {
    const input = JSON.parse(body) as Body;
    switch (operation) {
      case "PutItem":
        return written([{ Put: input }]) ?? response(200, {});
      case "GetItem":
        return response(200, { Item: items.get(keyOf(input.Key)) });
      case "UpdateItem": {
        const before = items.get(keyOf(input.Key));
        return written([{ Update: input }]) ?? response(200, { Attributes: before });
      }
      case "TransactWriteItems":
        return transact(input);
      case "Query":
        return query(input);
      default:
        return response(400, { __type: "ValidationException", message: `The double does not know ${operation}.` });
    }
  }

  function transact(input: Body) {
    const { ClientRequestToken: token, TransactItems } = input as {
      ClientRequestToken?: string;
      TransactItems?: Record<string, Write>[];
    };
    if (token !== undefined && transactions.has(token)) return response(200, {});
    const reasons = (TransactItems ?? []).map((write) => (accepts(write) ? "None" : "ConditionalCheckFailed"));
    if (reasons.some((reason) => reason !== "None")) {
      return response(400, {
        __type: "TransactionCanceledException",
        message: "Cancelled.",
        CancellationReasons: reasons.map((Code) => ({ Code })),
      });
    }
    for (const write of TransactItems ?? []) apply(write);
    if (token !== undefined) transactions.add(token);
    return response(200, {});
  }

  /** Undefined: written. */
  function written(writes: Record<string, Write>[]) {
    if (!writes.every(accepts)) return response(400, { __type: "ConditionalCheckFailedException", message: "No." });
    for (const write of writes) apply(write);
    return undefined;
  }

  function accepts(entry: Record<string, Write>): boolean {
    const write = Object.values(entry)[0] ?? {};
    return (
      !write.ConditionExpression || meets(write.ConditionExpression, items.get(keyOf(write.Key ?? write.Item)), write)
    );
  }

  function apply({ Put, Update, Delete }: Record<string, Write>): void {
    if (Put?.Item) items.set(keyOf(Put.Item), Put.Item);
    if (Delete) items.delete(keyOf(Delete.Key));
    if (!Update?.Key) return;
    const before = items.get(keyOf(Update.Key)) ?? Update.Key;
    items.set(keyOf(Update.Key), updated(Update.UpdateExpression ?? "", before, Update));
  }

  function query(input: Body) {
    const condition = String(input["KeyConditionExpression"]);
    const sortKey = input["IndexName"] === undefined ? "sk" : `${input["IndexName"] as string}sk`;
    const found = [...items.values()]
      .filter((item) => meets(condition, item, input))
      .toSorted((a, b) => (text(a[sortKey]) < text(b[sortKey]) ? -1 : 1));
    return response(200, { Items: found, Count: found.length });
  }

  const client = new DynamoDBClient({
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    requestHandler: { handle: handle as never, metadata: { handlerProtocol: "http/1.1" } },
    retryStrategy: atOnce(3),
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  /** `calls`: by clients, each with its retries counted once. */
  return { documents, items, calls: () => seen.size };
}

function tokenOf(count: number) {
  return { getRetryCount: () => count, getRetryDelay: () => 0 };
}

/** The SDK's standard retries without the waiting. */
function atOnce(attempts: number) {
  return {
    mode: "standard",
    acquireInitialRetryToken: async () => tokenOf(0),
    refreshRetryTokenForRetry: async (token: { getRetryCount(): number }, error: { errorType: string }) => {
      const count = token.getRetryCount() + 1;
      if (count >= attempts || error.errorType === "CLIENT_ERROR") throw new Error("no attempt is left");
      return tokenOf(count);
    },
    recordSuccess: () => {},
  };
}

function response(statusCode: number, body: object) {
  const bytes = Buffer.from(JSON.stringify(body));
  return { response: { statusCode, headers: { "content-type": "application/x-amz-json-1.0" }, body: bytes } };
}

function bodyOf(body: unknown): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
}

function timeout(): Error {
  return Object.assign(new Error("socket hang up"), { name: "TimeoutError", code: "ECONNRESET" });
}

function keyOf(key: Item | undefined): string {
  return `${text(key?.["pk"])} ${text(key?.["sk"])}`;
}

function text(attribute: Attribute | undefined): string {
  return String((attribute as { S?: string } | undefined)?.S);
}
