import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Runs } from "../../runs/ports.ts";
import { readHead, runUpdates } from "./conditional.ts";
import { claimUpdate } from "./run-items.ts";

/** Leases are attributes of the run's own item, so that every write to the run can ask for the token. */
export function awsLeases({
  documents,
  table,
}: {
  documents: DynamoDBDocumentClient;
  table: string;
}): Pick<Runs, "claim" | "renew" | "holds" | "release"> {
  const updated = runUpdates({ documents, table });

  return {
    async claim(wish) {
      const taken = await updated(wish.runId, claimUpdate(wish));
      if (!taken) return undefined;
      const { leaseOwner, leaseToken = 0, turn } = taken.Attributes ?? {};
      return { token: Number(leaseToken) + 1, turn: Number(turn), unreleased: leaseOwner !== undefined };
    },

    async renew({ runId, token }, until) {
      const renewed = await updated(runId, {
        ConditionExpression: "leaseToken = :token AND #status = :running",
        UpdateExpression: "SET leaseUntil = :until",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":token": token, ":running": "running", ":until": until },
      });
      return renewed !== undefined;
    },

    async holds({ runId, token }) {
      const found = await readHead({ documents, table }, runId);
      return found?.status === "running" && found.leaseToken === token;
    },

    async release({ runId, token }) {
      await updated(runId, {
        ConditionExpression: "leaseToken = :token",
        UpdateExpression: "REMOVE leaseOwner, leaseUntil",
        ExpressionAttributeValues: { ":token": token },
      });
    },
  };
}
