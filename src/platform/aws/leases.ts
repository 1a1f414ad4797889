import type { LeaseRequest } from "../../runs/run-types.ts";
import type { Runs } from "../../runs/ports.ts";
import type { RunsTable } from "./dynamodb/run-items.ts";
import { runUpdates } from "./dynamodb/conditional-write.ts";
import { readHead } from "./run-reads.ts";

/**
 * Leases as attributes of the run's head item, so that every write to the run can check the fencing token. Who holds a lease
 * learns from it whether somebody watches the run, without a call.
 */
export function awsLeases(
  table: Pick<RunsTable, "documents" | "table" | "watches">,
): Pick<Runs, "claim" | "renew" | "holds" | "release"> {
  const updateRun = runUpdates(table);
  const { watches } = table;

  return {
    async claim(request) {
      const taken = await updateRun(request.runId, claimUpdate(request));
      if (!taken) return undefined;
      const { leaseOwner, leaseToken = 0, turn, watchedUntil } = taken.Attributes ?? {};
      watches?.seen(request.runId, watchedUntil);
      // A repetition of this request by the SDK finds its own claim.
      const takenOver = leaseOwner !== undefined && leaseOwner !== request.owner;
      return { fencingToken: Number(leaseToken) + 1, turn: Number(turn), takenOver };
    },

    async renew({ runId, fencingToken }, until) {
      const renewed = await updateRun(runId, {
        ConditionExpression: "leaseToken = :token AND #status = :running",
        UpdateExpression: "SET leaseUntil = :until",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":token": fencingToken, ":running": "running", ":until": until },
        ReturnValues: "ALL_OLD",
      });
      watches?.seen(runId, renewed?.Attributes?.["watchedUntil"]);
      return renewed !== undefined;
    },

    async holds({ runId, fencingToken }) {
      const found = await readHead(table, runId);
      watches?.seen(runId, found?.watchedUntil);
      return found?.status === "running" && found.leaseToken === fencingToken;
    },

    async release({ runId, fencingToken }) {
      await updateRun(runId, {
        ConditionExpression: "leaseToken = :token",
        UpdateExpression: "REMOVE leaseOwner, leaseUntil",
        ExpressionAttributeValues: { ":token": fencingToken },
      });
    },
  };
}

/** The update that takes a lease. It returns the previous item. */
function claimUpdate({ owner, now, until }: LeaseRequest) {
  const free = "attribute_not_exists(leaseUntil) OR leaseUntil <= :now OR leaseUntil >= :tooFar OR leaseOwner = :owner";
  const started = "attribute_not_exists(waiting) OR waiting = :started";
  return {
    ConditionExpression: `#status = :running AND attribute_not_exists(askedUntil) AND (${started}) AND (${free})`,
    UpdateExpression: "SET leaseOwner = :owner, leaseUntil = :until ADD leaseToken :one",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":running": "running",
      ":now": now,
      ":tooFar": now + 2 * (until - now),
      ":owner": owner,
      ":until": until,
      ":one": 1,
      ":started": false,
    },
    ReturnValues: "ALL_OLD" as const,
  };
}
