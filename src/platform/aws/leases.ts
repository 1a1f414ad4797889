import type { LeaseRequest } from "../../runs/types.ts";
import type { Runs } from "../../runs/ports.ts";
import type { DynamoTable } from "./clients.ts";
import { runUpdates } from "./conditional-write.ts";
import { readHead } from "./run-reads.ts";

/** Leases are attributes of the run's own item, so that every write to the run can ask for the token. */
export function awsLeases(home: DynamoTable): Pick<Runs, "claim" | "renew" | "holds" | "release"> {
  const updateRun = runUpdates(home);

  return {
    async claim(request) {
      const taken = await updateRun(request.runId, claimUpdate(request));
      if (!taken) return undefined;
      const { leaseOwner, leaseToken = 0, turn } = taken.Attributes ?? {};
      return { fencingToken: Number(leaseToken) + 1, turn: Number(turn), takenOver: leaseOwner !== undefined };
    },

    async renew({ runId, fencingToken: token }, until) {
      const renewed = await updateRun(runId, {
        ConditionExpression: "leaseToken = :token AND #status = :running",
        UpdateExpression: "SET leaseUntil = :until",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":token": token, ":running": "running", ":until": until },
      });
      return renewed !== undefined;
    },

    async holds({ runId, fencingToken: token }) {
      const found = await readHead(home, runId);
      return found?.status === "running" && found.leaseToken === token;
    },

    async release({ runId, fencingToken: token }) {
      await updateRun(runId, {
        ConditionExpression: "leaseToken = :token",
        UpdateExpression: "REMOVE leaseOwner, leaseUntil",
        ExpressionAttributeValues: { ":token": token },
      });
    },
  };
}

/** How a lease is taken; the answer holds what was there before. */
function claimUpdate({ owner, now, until }: LeaseRequest) {
  const free = "attribute_not_exists(leaseUntil) OR leaseUntil <= :now OR leaseUntil >= :tooFar OR leaseOwner = :owner";
  return {
    ConditionExpression: `#status = :running AND (${free})`,
    UpdateExpression: "SET leaseOwner = :owner, leaseUntil = :until ADD leaseToken :one",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":running": "running",
      ":now": now,
      ":tooFar": now + 2 * (until - now),
      ":owner": owner,
      ":until": until,
      ":one": 1,
    },
    ReturnValues: "ALL_OLD" as const,
  };
}
