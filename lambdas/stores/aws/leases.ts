import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Runs } from "../../runs/ports.ts";
import { runUpdates } from "./conditional.ts";
import { claimUpdate, partition } from "./run-items.ts";
import { head } from "./table.ts";

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
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk AND sk = :head",
          ProjectionExpression: "#status, leaseToken",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":pk": partition(runId), ":head": head },
          ConsistentRead: true,
        }),
      );
      return Items[0]?.["status"] === "running" && Items[0]["leaseToken"] === token;
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
