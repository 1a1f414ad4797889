import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { usageFields } from "../../../agent/turn/limits.ts";
import { sequenceOf } from "../../../runs/events.ts";
import { storedBytesOf } from "../../../runs/files/stored-bytes.ts";
import { transcriptBytesOf } from "../../../runs/transcript-bytes.ts";
import type { RunChange, RunFacts } from "../../../runs/types.ts";
import { placeFields } from "./quota-place.ts";
import { dependsOnFacts, factConditions } from "./run-facts.ts";
import { type Item, partition } from "./run-items.ts";
import { head } from "./table.ts";

/** One write of a transaction. */
export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The write to the head item, with the conditions of the change. A missing run has no status: the condition is false. */
export function headWrite(table: string, change: RunChange, facts: RunFacts | undefined): Write {
  const { runId, expect, fencingToken, set, messages = [], used, model, tools, files, queue, labels, tokens } = change;
  const names: Record<string, string> = { "#status": "status", "#turn": "turn" };
  const values: Item = { ":expectedStatus": expect.status, ":expectedTurn": expect.turn };
  const conditions = ["#status = :expectedStatus AND #turn = :expectedTurn"];
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
  const known = factConditions(change, facts);
  conditions.push(...known.conditions);
  Object.assign(values, known.values);
  const on = {
    TableName: table,
    Key: { pk: partition(runId), sk: head },
    ...(dependsOnFacts(change) && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
  const isCheck =
    !set && !sequence && !used && model === undefined && !tools && !files && queue === undefined && !labels && !tokens;
  if (isCheck) return { ConditionCheck: on };

  const sets = ["messageCount = messageCount + :added"];
  const removes: string[] = [];
  const adds: string[] = [];
  values[":added"] = messages.length;
  if (sequence) {
    sets.push("#sequence = :sequence");
    values[":sequence"] = sequence.after;
  }
  const fields: Item = set ? { ...statusFields(set, expect), ...placeFields(change, facts) } : {};
  for (const [name, value] of Object.entries(fields)) {
    names[`#${name}`] = name;
    if (value === undefined) removes.push(`#${name}`);
    else {
      sets.push(`#${name} = :${name}`);
      values[`:${name}`] = value;
    }
  }
  if (model !== undefined) {
    sets.push("#model = :model");
    names["#model"] = "model";
    values[":model"] = model;
  }
  if (tools) {
    adds.push("tools :tools"); // a string set, so that DynamoDB adds without a read
    values[":tools"] = new Set(tools);
  }
  if (set) removes.push("leaseOwner", "leaseUntil");
  if (files) {
    sets.push("filesTurn = :filesTurn");
    values[":filesTurn"] = expect.turn;
  }
  if (labels && Object.keys(labels).length === 0) removes.push("labels");
  else if (labels) {
    sets.push("labels = :labels");
    values[":labels"] = labels;
  }
  if (tokens?.after.length === 0) removes.push("#tokens");
  else if (tokens) {
    sets.push("#tokens = :tokens");
    values[":tokens"] = JSON.stringify(tokens.after);
  }
  if (queue === "drop") removes.push("queued");
  else if (queue) {
    adds.push("queued :queued");
    values[":queued"] = "add" in queue ? 1 : -1;
  }
  const bytes = transcriptBytesOf(change);
  if (bytes > 0) {
    adds.push("transcriptBytes :bytes");
    values[":bytes"] = bytes;
  }
  const fileBytes = storedBytesOf(change);
  if (fileBytes !== 0) {
    adds.push("storedBytes :storedBytes");
    values[":storedBytes"] = fileBytes;
  }
  for (const field of used ? usageFields : []) {
    if (!used?.[field]) continue;
    adds.push(`used_${field} :used_${field}`);
    values[`:used_${field}`] = used[field];
  }
  const removal = removes.length > 0 ? ` REMOVE ${removes.join(", ")}` : "";
  const addition = adds.length > 0 ? ` ADD ${adds.join(", ")}` : "";
  return { Update: { ...on, UpdateExpression: `SET ${sets.join(", ")}${removal}${addition}` } };
}

/** The attributes of a changed status. Undefined ones are removed. */
function statusFields({ asks, ...set }: NonNullable<RunChange["set"]>, before: RunChange["expect"]): Item {
  const fields = { ...set, failure: set.failure };
  if (asks) return { ...fields, ...asks };
  const isSameTurn = before.status === "running" && set.status === "running" && set.turn === before.turn;
  return { ...fields, askedUntil: undefined, ...(!isSameTurn && { worked: undefined }) };
}
