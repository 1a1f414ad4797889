import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { usageFields } from "../../../agent/turn/turn-limits.ts";
import { sequenceOf } from "../../../runs/events.ts";
import { storedBytesOf } from "../../../runs/files/stored-bytes.ts";
import { transcriptBytesOf } from "../../../runs/transcript-bytes.ts";
import type { RunChange, RunFacts } from "../../../runs/run-types.ts";
import { placeFields } from "./quota-place.ts";
import { dependsOnFacts, factConditions } from "./run-facts.ts";
import { type Item, partition } from "./run-items.ts";
import { head } from "./table.ts";

/** One write of a transaction. */
export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** What a write to the head item consists of. */
interface Parts {
  names: Record<string, string>;
  values: Item;
  conditions: string[];
  sets: string[];
  removes: string[];
  adds: string[];
}

/** The write to the head item, with the conditions of the change. A missing run has no status: the condition is false. */
export function headWrite(table: string, change: RunChange, facts: RunFacts | undefined): Write {
  const parts: Parts = {
    names: { "#status": "status", "#turn": "turn" },
    values: { ":expectedStatus": change.expect.status, ":expectedTurn": change.expect.turn },
    conditions: ["#status = :expectedStatus AND #turn = :expectedTurn"],
    sets: ["messageCount = messageCount + :added"],
    removes: [],
    adds: [],
  };
  addConditions(parts, change);
  const known = factConditions(change, facts);
  const on = {
    TableName: table,
    Key: { pk: partition(change.runId), sk: head },
    ...(dependsOnFacts(change) && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    ConditionExpression: [...parts.conditions, ...known.conditions].join(" AND "),
    ExpressionAttributeNames: parts.names,
    ExpressionAttributeValues: Object.assign(parts.values, known.values),
  };
  if (isCheck(change)) return { ConditionCheck: on };
  parts.values[":added"] = change.messages?.length ?? 0;
  assignFields(parts, change, facts);
  addAmounts(parts, change);
  const { sets, removes, adds } = parts;
  const removal = removes.length > 0 ? ` REMOVE ${removes.join(", ")}` : "";
  const addition = adds.length > 0 ? ` ADD ${adds.join(", ")}` : "";
  return { Update: { ...on, UpdateExpression: `SET ${sets.join(", ")}${removal}${addition}` } };
}

/** Whether the change only checks the head item. */
function isCheck(change: RunChange): boolean {
  const { set, used, model, tools, files, queue, labels, tokens } = change;
  const changed = set || sequenceOf(change) || used || tools || files || labels || tokens;
  return !changed && model === undefined && queue === undefined;
}

function addConditions({ names, values, conditions }: Parts, change: RunChange): void {
  const { expect, fencingToken, labels, tokens } = change;
  if (expect.queued !== undefined) {
    values[":expectedQueued"] = expect.queued;
    const none = expect.queued === 0 ? "attribute_not_exists(queued) OR " : "";
    conditions.push(`(${none}queued = :expectedQueued)`);
  }
  const sequence = sequenceOf(change);
  if (sequence) {
    names["#sequence"] = "sequence";
    values[":before"] = sequence.before;
    const none = sequence.before === 0 ? "attribute_not_exists(#sequence) OR " : "";
    conditions.push(`(${none}#sequence = :before)`);
  }
  if (fencingToken !== undefined) {
    values[":token"] = fencingToken;
    conditions.push("leaseToken = :token");
  }
  if (expect.waiting) {
    values[":expectedWaiting"] = true;
    conditions.push("waiting = :expectedWaiting");
  }
  if (expect.asks !== undefined) conditions.push(`attribute_${expect.asks ? "" : "not_"}exists(askedUntil)`);
  if (expect.pauses !== undefined) {
    values[":expectedPauses"] = expect.pauses;
    conditions.push("pauses = :expectedPauses");
  }
  if (labels || tokens) {
    names["#name"] = "name";
    values[":erasedName"] = "";
    conditions.push("#name <> :erasedName");
  }
  if (tokens) {
    names["#tokens"] = "tokens";
    if (tokens.before.length > 0) values[":tokensBefore"] = JSON.stringify(tokens.before);
    conditions.push(tokens.before.length > 0 ? "#tokens = :tokensBefore" : "attribute_not_exists(#tokens)");
  }
}

/** Sets the fields that the change replaces. Undefined ones are removed. */
function assignFields({ names, values, sets, removes }: Parts, change: RunChange, facts: RunFacts | undefined): void {
  const { expect, set, model, files, queue, labels, tokens } = change;
  const sequence = sequenceOf(change);
  const fields: Item = {
    ...(sequence && { sequence: sequence.after }),
    ...(set && { ...statusFields(set, expect), ...placeFields(change, facts) }),
    ...(set && { leaseOwner: undefined, leaseUntil: undefined }),
    ...(model !== undefined && { model }),
    ...(files && { filesTurn: expect.turn }),
    ...(labels && { labels: Object.keys(labels).length > 0 ? labels : undefined }),
    ...(tokens && { tokens: tokens.after.length > 0 ? JSON.stringify(tokens.after) : undefined }),
    ...(queue === "drop" && { queued: undefined }),
  };
  for (const [name, value] of Object.entries(fields)) {
    names[`#${name}`] = name;
    if (value === undefined) removes.push(`#${name}`);
    else {
      sets.push(`#${name} = :${name}`);
      values[`:${name}`] = value;
    }
  }
}

/** Adds to counts and to the set of tools. DynamoDB does so without a read. */
function addAmounts({ values, adds }: Parts, change: RunChange): void {
  const { used, tools, queue } = change;
  const amounts: Item = {
    ...(tools && { tools: new Set(tools) }),
    ...(queue && queue !== "drop" && { queued: "add" in queue ? 1 : -1 }),
    transcriptBytes: transcriptBytesOf(change),
    storedBytes: storedBytesOf(change),
    ...(used && Object.fromEntries(usageFields.map((field) => [`used_${field}`, used[field]]))),
  };
  for (const [name, amount] of Object.entries(amounts)) {
    if (!amount) continue;
    adds.push(`${name} :${name}`);
    values[`:${name}`] = amount;
  }
}

/** The attributes of a changed status. Undefined ones are removed. */
function statusFields({ asks, ...set }: NonNullable<RunChange["set"]>, before: RunChange["expect"]): Item {
  const fields = { ...set, failure: set.failure };
  if (asks) return { ...fields, ...asks };
  const isSameTurn = before.status === "running" && set.status === "running" && set.turn === before.turn;
  return { ...fields, askedUntil: undefined, ...(!isSameTurn && { worked: undefined }) };
}
