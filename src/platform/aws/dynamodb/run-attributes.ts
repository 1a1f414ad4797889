import { type Usage, usageFields } from "../../../agent/turn/turn-limits.ts";
import { allFields, type Kind, optionalFields } from "../../../runs/fields.ts";
import { fieldsOf as fieldsOfImport } from "../../../runs/imported.ts";
import { mergedTools } from "../../../runs/tools.ts";
import type { ImportOrigin, Run } from "../../../runs/run-types.ts";

// The attributes of a run in its head item, as `src/runs/fields.ts` describes them. What depends on it alone is built once, when this
// module is loaded.

type Item = Record<string, unknown>;

/** Absent: the attribute is the value itself. */
interface Codec {
  encode?: (value: never, name: string) => Item;
  /** Called with the item and the name, because some values have several attributes. */
  decode?: (item: Item, name: string) => unknown;
}

const codecs: Partial<Record<Kind, Codec>> = {
  count: { decode: (item, name) => item[name] || undefined },
  // A limit can be larger than DynamoDB's numbers.
  json: {
    encode: (value, name) => ({ [name]: JSON.stringify(value) }),
    decode: (item, name) => (item[name] === undefined ? undefined : (JSON.parse(item[name] as string) as unknown)),
  },
  // A string set, so that DynamoDB adds without a read.
  names: {
    encode: (value: string[], name) => ({ [name]: new Set(value) }),
    decode: (item, name) => item[name] && mergedTools(item[name] as Set<string>),
  },
  // Separate attributes, because DynamoDB adds to numbers without a read.
  usage: {
    encode: (value: Usage, name) =>
      Object.fromEntries(usageFields.map((field) => [`${name}_${field}`, value[field]] as const)),
    decode(item, name) {
      if (usageFields.every((field) => item[`${name}_${field}`] === undefined)) return undefined;
      return Object.fromEntries(usageFields.map((field) => [field, Number(item[`${name}_${field}`] ?? 0)]));
    },
  },
  origin: {
    encode: ({ runId, sha256, ...record }: ImportOrigin, name) => ({
      [name]: { runId, sha256 },
      [recordOf(name)]: JSON.stringify(record),
    }),
    decode(item, name) {
      const record = item[recordOf(name)];
      if (item[name] === undefined) return undefined;
      return { ...(typeof record === "string" && (JSON.parse(record) as object)), ...item[name] };
    },
  },
};

/** The attribute of what a bundle said of an imported run. It is removed with the texts of the run. */
function recordOf(name: string): string {
  return `${name}Run`;
}

/** The attributes of a new run. */
export function attributesOf(run: Run): Item {
  const item: Item = {};
  for (const { name, kind } of allFields) {
    const [value, encode] = [run[name], codecs[kind]?.encode];
    if (value === undefined) continue;
    if (encode) Object.assign(item, encode(value as never, name));
    else item[name] = value;
  }
  return item;
}

const optional = optionalFields.map(({ name, kind }) => ({ name, decode: codecs[kind]?.decode }));

export function toRun(item: Item): Run {
  const { id, agentId, organizationId, name, status, turn, createdAt, updatedAt } = item as unknown as Run;
  const sequence = Number(item["sequence"] ?? 0);
  const run: Run = { id, agentId, organizationId, name, status, turn, createdAt, updatedAt, sequence };
  const others = run as object as Item;
  for (const { name: field, decode } of optional) {
    const value = decode ? decode(item, field) : item[field];
    if (value !== undefined) others[field] = value;
  }
  return run.imported ? Object.assign(run, fieldsOfImport(run.imported)) : run;
}

/** The counts that an erasure sets are those of the remaining items, which readers wait for. Three are of the items, not of the run. */
const set: Item = { messageCount: 0, transcriptBytes: 0 };
const removed = ["filesTurn"];
for (const { name, left } of allFields) {
  if (left === "" || left === 0) set[name] = left;
  if (left === "nothing") removed.push(name);
  if (left === "origin") removed.push(recordOf(name));
}
const assignments = Object.keys(set).map((name) => `#${name} = :${name}`);

/** The update that erases a run. */
export const erasingUpdate = {
  UpdateExpression: `SET ${assignments.join(", ")} REMOVE ${removed.map((name) => `#${name}`).join(", ")}`,
  ExpressionAttributeNames: Object.fromEntries([...Object.keys(set), ...removed].map((name) => [`#${name}`, name])),
  ExpressionAttributeValues: Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
};
