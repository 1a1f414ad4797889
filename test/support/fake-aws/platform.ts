import type { Stores } from "../../../src/runs/ports.ts";
import { awsAccounts } from "../../../src/platform/aws/accounts.ts";
import type { Objects } from "../../../src/platform/aws/bucket.ts";
import { awsRuns } from "../../../src/platform/aws/runs.ts";
import { awsWorkspace } from "../../../src/platform/aws/workspace.ts";
import { dynamoDouble, type FaultAt } from "./fake-dynamodb.ts";

/** The stores on AWS over a table and a bucket in memory. `calls`: by the clients of both; `objectKeys`: the bucket's. */
export function awsHome(faultAt?: FaultAt): Stores & { calls: () => number; objectKeys: () => string[] } {
  const dynamo = dynamoDouble((call, attempt) => faultAt?.(call + objectCalls, attempt));
  const content = new Map<string, Uint8Array>();
  let objectCalls = 0;

  /** S3's answers reach the stores as the SDK's errors, after its own attempts. */
  async function attempted<Value>(work: () => Value): Promise<Value> {
    const call = ++objectCalls + dynamo.calls();
    const fault = faultAt?.(call, Number.MAX_SAFE_INTEGER);
    if (fault === "throttled") throw Object.assign(new Error("Reduce your request rate."), { name: "SlowDown" });
    if (fault === "refused") throw Object.assign(new Error("Access Denied"), { name: "AccessDenied" });
    if (fault === "lost-before") throw Object.assign(new Error("no answer"), { name: "TimeoutError" });
    const value = work();
    if (fault === "lost-after") throw Object.assign(new Error("no answer"), { name: "TimeoutError" });
    return value;
  }

  const objects: Objects = {
    put: (key, bytes) => attempted(() => void content.set(key, bytes)),
    get: (key) => attempted(() => content.get(key)),
    list: (prefix) =>
      attempted(() =>
        [...content].filter(([key]) => key.startsWith(prefix)).map(([key, { length: size }]) => ({ key, size })),
      ),
    remove: (keys) =>
      attempted(() => {
        for (const key of keys) content.delete(key);
      }),
    removeAll: (prefix) =>
      attempted(() => {
        for (const key of content.keys()) if (key.startsWith(prefix)) content.delete(key);
      }),
  };
  const home = { documents: dynamo.documents, table: "T", objects: async () => objects };
  return {
    accounts: awsAccounts(home),
    runs: awsRuns(home),
    workspace: awsWorkspace(home.objects),
    calls: () => dynamo.calls() + objectCalls,
    objectKeys: () => [...content.keys()],
  };
}
