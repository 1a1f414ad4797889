import { listIndex, organizationIndex, runningIndex } from "../../src/platform/aws/dynamodb/table.ts";
import {
  everyOrganization,
  type ItemPermission,
  marksWatched,
  type ObjectPermissions,
  webhookView,
} from "../storage.ts";

// What operators may do with the service's data: through the CLI and `npm run console` with their own credentials, and
// through the functions of the console's stack.

/** For viewing organizations, agents, keys, runs and the audit. Who views the stream of a run marks it as watched. */
export const viewItems: ItemPermission[] = [
  { kinds: ["ORG", "AGENT", "KEY", "CONFIG", "DELIVERY", "OPERATORS", "TRIAL"], actions: ["GetItem"] },
  webhookView,
  marksWatched,
  { kinds: ["RUN", "AGENT", "AUDIT", "COUNT", "OPERATORS", "TRIAL"], actions: ["Query"] },
  { kinds: ["RUN"], actions: ["BatchGetItem"] },
  { kinds: [everyOrganization], actions: ["Query"], index: organizationIndex.name },
  { kinds: ["WAITING", "ASKING", "TRIALS"], actions: ["Query"], index: runningIndex.name },
  {
    kinds: ["ORGS", "AGENTS", "KEYS", "RUNS", "DELIVERIES", "TRIALS", "TRIED"],
    actions: ["Query"],
    index: listIndex.name,
  },
];

/** For changing them. Operators also need `viewItems`. */
export const changeItems: ItemPermission[] = [
  // Configurations: those of trials and forks, and of runs with a schema of their own.
  { kinds: ["CONFIG"], actions: ["PutItem"] },
  // One statement, because a transaction writes a record or a run together with its audit entry, its counts, its
  // delivery and its idempotency key.
  {
    kinds: ["ORG", "AGENT", "KEY", "WEBHOOK", "RUN", "COUNT", "DELIVERY", "AUDIT", "OPERATORS", "IDEMPOTENCY", "TRIAL"],
    actions: ["PutItem", "UpdateItem", "ConditionCheckItem"],
  },
  { kinds: ["WEBHOOK", "IDEMPOTENCY"], actions: ["GetItem"] },
  // Of a run, an agent or an organization that is deleted.
  {
    kinds: ["ORG", "AGENT", "KEY", "WEBHOOK", "RUN", "COUNT", "DELIVERY", "CONFIG", "UPLOAD", "TRIAL"],
    actions: ["DeleteItem"],
  },
  { kinds: ["UPLOAD", "CONFIG"], actions: ["Query"] },
];

export const viewObjects: ObjectPermissions = { read: ["workspaces", "texts", "kept", "environments"] };

/** `write` of `workspaces`: the files that a run starts with. */
export const changeObjects: ObjectPermissions = {
  ...viewObjects,
  write: ["workspaces", "texts", "kept"],
  remove: ["workspaces", "texts", "uploads", "kept"],
};
