import { accountsOf } from "../../../src/platform/records/accounts.ts";
import { trialsOf } from "../../../src/platform/records/trials.ts";
import type { Objects } from "../../../src/platform/aws/s3/bucket.ts";
import { awsConfigurations } from "../../../src/platform/aws/configurations.ts";
import { awsDeliveries } from "../../../src/platform/aws/deliveries.ts";
import { awsPendingUploads } from "../../../src/platform/aws/pending-uploads.ts";
import type { awsStores } from "../../../src/platform/aws/open-platform.ts";
import { awsLiveText } from "../../../src/platform/aws/live-text.ts";
import { awsRecords } from "../../../src/platform/aws/records.ts";
import { awsRemoval } from "../../../src/platform/aws/removal.ts";
import { awsRuns } from "../../../src/platform/aws/run-store.ts";
import type { Platform } from "../../../src/platform/platform-types.ts";
import { trialCompanions } from "../../../src/trials/erase-trials.ts";
import { awsWorkspace } from "../../../src/platform/aws/workspace.ts";
import type { DynamoTable } from "../../../src/platform/aws/sdk/clients.ts";
import { fakeDocumentClient, type FaultAt } from "./client.ts";

type AwsStores = ReturnType<typeof awsStores>;

/** The table's client, counts of calls to DynamoDB and S3, and the keys of the bucket. */
interface Observed extends Pick<DynamoTable, "documents"> {
  /** A call and its retries count once. */
  calls: () => number;
  /** Length of the longest chain of calls, each sent after the response to the one before. Needs a `delay`. */
  sequentialCalls: () => number;
  objectKeys: () => string[];
  /** The stores as another process opens them, with nothing in memory. */
  inAnotherProcess: () => AwsStores;
  /** Stores an object directly. */
  putObject: (key: string, bytes: Uint8Array) => void;
}

/**
 * The AWS stores over a table and a bucket in memory. `delay`: milliseconds per call, so that parallel calls overlap.
 * `conflicts`: a transaction is canceled if another one on one of its items is in progress.
 */
export function fakeAwsStores(
  faultAt?: FaultAt,
  { delay = 0, conflicts = false } = {},
): AwsStores & Pick<Platform, "companions"> & Observed {
  let answeredDepth = 0;
  const dynamo = fakeDocumentClient((call, attempt) => faultAt?.(call + objectCalls, attempt), respondLater, conflicts);
  const content = new Map<string, Uint8Array>();
  let objectCalls = 0;

  async function respondLater(): Promise<void> {
    if (delay === 0) return;
    const depth = answeredDepth + 1;
    await new Promise((resolve) => setTimeout(resolve, delay));
    answeredDepth = Math.max(answeredDepth, depth);
  }

  /** An operation on the bucket, after the client's own retries. */
  async function attempted<Value>(work: () => Value): Promise<Value> {
    const call = ++objectCalls + dynamo.calls();
    const fault = faultAt?.(call, Number.MAX_SAFE_INTEGER);
    await respondLater();
    if (fault === "throttled") throw Object.assign(new Error("Reduce your request rate."), { name: "SlowDown" });
    if (fault === "refused") throw Object.assign(new Error("Access Denied"), { name: "AccessDenied" });
    if (fault === "lost-before") throw Object.assign(new Error("no answer"), { name: "TimeoutError" });
    const value = work();
    if (fault === "lost-after") throw Object.assign(new Error("no answer"), { name: "TimeoutError" });
    return value;
  }

  const objects: Objects = {
    put: (key, bytes) => attempted(() => void content.set(key, bytes)),
    get: (key, bytes) => attempted(() => content.get(key)?.subarray(0, bytes)),
    copy: (from, to) =>
      attempted(() => {
        const source = content.get(from);
        if (source) content.set(to, source);
        return source !== undefined;
      }),
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

  function open(): AwsStores {
    const texts = awsLiveText({ documents: dynamo.documents, table: "T" });
    const runsTable = { documents: dynamo.documents, table: "T", objects: async () => objects, watches: texts };
    return {
      accounts: accountsOf(awsRecords(runsTable)),
      runs: awsRuns(runsTable),
      configurations: awsConfigurations(runsTable),
      deliveries: awsDeliveries(runsTable),
      trials: trialsOf(awsRecords(runsTable)),
      workspace: awsWorkspace(runsTable.objects),
      pendingUploads: awsPendingUploads(runsTable),
      removal: awsRemoval(runsTable),
      texts,
    };
  }

  const stores = open();
  return {
    ...stores,
    companions: trialCompanions(stores),
    documents: dynamo.documents,
    calls: () => dynamo.calls() + objectCalls,
    sequentialCalls: () => answeredDepth,
    objectKeys: () => [...content.keys()],
    inAnotherProcess: open,
    putObject: (key, bytes) => void content.set(key, bytes),
  };
}
