import { type Draft, isEqual, isObject, type Json, type Path, pathText } from "./json.ts";
import { amountText } from "./numbers.ts";

/** A field of a draft that differs from the stored definition. */
export interface Change {
  path: Path;
  before: Json | undefined;
  after: Json | undefined;
}

/** Values that are compared as a whole, with the order of their fields: models write a result in the order of its schema. */
const whole = new Set(["result.schema", "clientTools"]);

/** The fields that differ, in the order of the new draft. An empty object is the same as none. */
export function changesOf(before: Draft, after: Draft): Change[] {
  return differences([], before, after);
}

function differences(path: Path, before: Json | undefined, after: Json | undefined): Change[] {
  if (whole.has(pathText(path))) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  }
  const [old, now] = [before ?? {}, after ?? {}];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(now), ...Object.keys(old)])];
    return names.flatMap((name) => differences([...path, name], old[name], now[name]));
  }
  if (isObjectList(before) && isObjectList(after) && before.length === after.length) {
    return after.flatMap((entry, index) => differences([...path, index], before[index], entry));
  }
  return isEqual(before, after) ? [] : [{ path, before, after }];
}

function isObjectList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** `limits.steps 40 → 60`, `tools + edit_file`, `instructions`. */
export function changeText({ path, before, after }: Change): string {
  const name = pathText(path);
  if (isTextList(before ?? []) && isTextList(after ?? [])) {
    const [old, now] = [(before ?? []) as string[], (after ?? []) as string[]];
    const added = now.filter((each) => !old.includes(each)).map((each) => `+ ${each}`);
    const removed = old.filter((each) => !now.includes(each)).map((each) => `− ${each}`);
    return [name, [...added, ...removed].join(", ") || "in another order"].join(" ");
  }
  const [old, now] = [before, after].map((value) => shortText(path, value));
  return old === undefined || now === undefined ? name : `${name} ${old} → ${now}`;
}

function isTextList(value: Json): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Texts up to this length are shown in a list of changes. */
const shortest = 40;

/** A value in a few characters. Undefined: it is too long. */
function shortText(path: Path, value: Json | undefined): string | undefined {
  if (value === undefined) return "not set";
  if (typeof value === "number") return amountText(pathText(path), value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" && value.length <= shortest && !value.includes("\n") ? value || "empty" : undefined;
}

/** The note under a changed field: `was 40`. */
export function wasText(change: Change): string {
  if (Array.isArray(change.before)) return "changed";
  if (change.before === undefined) return "was empty";
  const text = shortText(change.path, change.before);
  if (text !== undefined) return `was ${text}`;
  const { before } = change;
  return typeof before === "string" ? `changed, was ${before.length.toLocaleString("en-US")} characters` : "changed";
}
