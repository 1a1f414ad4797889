import type { Function } from "aws-cdk-lib/aws-lambda";
import { secretPrefixOf, listIndex } from "../../src/platform/aws/dynamodb/table.ts";
import { grant } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import { createsKeyedRuns, type ItemPermission, keyUse, marksWatched, type Storage, webhookState } from "../storage.ts";
import type { Workflow } from "../workflow.ts";

// What the functions of the extension API and of /mcp may do with the service's data. Their callers are programs with the key
// of an agent. The functions check that a run belongs to that agent; the permissions do not.

interface Service {
  storage: Storage;
  workflow: Workflow;
  settings: Settings;
}

/** For requests about the runs of an agent. */
const readsRuns: ItemPermission[] = [
  { kinds: ["KEY", "AGENT", "ORG"], actions: ["GetItem"] },
  { kinds: ["RUN"], actions: ["Query"] },
  webhookState,
  keyUse,
];

/** For the limits of turns, which `RunDetail` has. */
const readsLimits: ItemPermission = { kinds: ["CONFIG"], actions: ["GetItem"] };

/** For the server that streams events: it reads the heads of runs and texts in progress in batches. */
export const streamsRuns: ItemPermission[] = [
  { kinds: ["KEY", "AGENT", "ORG"], actions: ["GetItem"] },
  { kinds: ["RUN"], actions: ["Query", "BatchGetItem"] },
  readsLimits,
  keyUse,
  marksWatched,
];

const listsRuns: ItemPermission = { kinds: ["RUNS"], actions: ["Query"], index: listIndex.name };

/** For the deletion of a run, with the pending uploads that no other run has. */
const deletesRuns: ItemPermission[] = [
  { kinds: ["RUN", "UPLOAD"], actions: ["DeleteItem"] },
  { kinds: ["UPLOAD"], actions: ["Query"] },
  // Its copies in the suites of the agent.
  listsRuns,
  // The cases of trials that try the run, or a copy.
  { kinds: ["TRIED"], actions: ["Query"], index: listIndex.name },
  { kinds: ["TRIAL"], actions: ["GetItem", "UpdateItem"] },
];

/** For GET and HEAD /ext/v1. */
export function grantExtRead(fn: Function, { storage, workflow, settings }: Service): void {
  storage.grantItems(fn, [...readsRuns, readsLimits, listsRuns, marksWatched]);
  storage.grantObjects(fn, { read: ["workspaces", "texts"] });
  storage.grantList(fn);
  grant(fn, {
    ...sharedSettings(settings),
    // The code of `ExtWrite`, which reads these, too.
    RETENTION_DAYS: String(settings.retentionDays),
    STATE_MACHINE_ARN: workflow.stateMachine.stateMachineArn,
  });
}

/** For the other methods of /ext/v1. */
export function grantExtWrite(fn: Function, service: Service): void {
  const { storage, settings } = service;
  storage.grantItems(fn, [
    ...readsRuns,
    ...createsKeyedRuns,
    // CONFIG: the schema of a run's results
    { kinds: ["UPLOAD", "CONFIG"], actions: ["GetItem", "PutItem"] },
  ]);
  grantRuns(fn, service);
  storage.grantItems(fn, deletesRuns);
  storage.grantObjects(fn, { write: ["uploads"], remove: ["texts", "uploads", "kept"] });
  grant(fn, sharedSettings(settings));
}

/** For /mcp. */
export function grantMcp(fn: Function, service: Service): void {
  service.storage.grantItems(fn, [
    ...readsRuns,
    ...createsKeyedRuns,
    { kinds: ["UPLOAD"], actions: ["GetItem", "PutItem"] },
  ]);
  grantRuns(fn, service);
  service.storage.grantObjects(fn, { read: ["workspaces"] });
  const { stage } = service.settings;
  grant(fn, { SECRET_PREFIX: secretPrefixOf(stage) }); // the prefix checks names only
}

/** For the custom resources of stacks: organizations, agents and keys, but no runs and no secrets. */
export function grantDefinitions(fn: Function, { storage, settings }: Service): void {
  storage.grantItems(fn, [
    { kinds: ["ORG", "AGENT", "KEY"], actions: ["GetItem"] },
    { kinds: ["AGENT"], actions: ["Query"] }, // versions
    // One statement, because a transaction writes a record together with its audit entry.
    { kinds: ["ORG", "AGENT", "KEY", "AUDIT"], actions: ["PutItem"] },
  ]);
  const { stage, retentionDays } = settings;
  grant(fn, { SECRET_PREFIX: secretPrefixOf(stage), RETENTION_DAYS: String(retentionDays) }); // checks names only
}

/** Lets the function start, continue and stop runs. It does not read their files. */
function grantRuns(fn: Function, { storage, workflow }: Service): void {
  storage.grantObjects(fn, {
    read: ["texts", "uploads"],
    write: ["workspaces", "texts"],
    remove: ["workspaces"],
  });
  storage.grantList(fn);
  workflow.grantStartExecution(fn);
  workflow.grantStopExecution(fn);
}

/** Bytes of the largest file that programs can upload: tools read up to as many (docs/deploying.md#uploads). */
const maxUploadBytes = 200 * 2 ** 20;

function sharedSettings(settings: Settings) {
  const { stage, corsOrigins } = settings;
  return {
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(",") }),
    SECRET_PREFIX: secretPrefixOf(stage), // checks names only
    MAX_UPLOAD_BYTES: String(maxUploadBytes),
  };
}
