import { canonicalJson, isObject, parseExact } from "../../../src/json.ts";
import { toolLabel } from "../../run/text/tool-name.tsx";
import { visibleLine } from "../../run/text/visible.ts";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "../trial-calls.ts";

/** The difference of a pair of calls, as a sentence. */
export function differenceText({ recorded, candidate }: PairOfCalls, { turns }: Sides): string {
  if (!recorded) return `Only the ${turns[1]} calls ${toolLabel(candidate?.name ?? "")}.`;
  if (!candidate) return `Only the ${turns[0]} calls ${toolLabel(recorded.name)}.`;
  const names = differentArguments(recorded.arguments, candidate.arguments);
  const other =
    names.length === 0 ? "other arguments" : `another ${names.map((name) => visibleLine(name, 40)).join(", ")}`;
  return `${toolLabel(recorded.name)} with ${other}.`;
}

/** Names of the arguments whose values differ, at most 3. Empty: the texts are not objects of JSON. */
function differentArguments(before: string, after: string): string[] {
  const [one, other] = [argumentsOf(before), argumentsOf(after)];
  if (!one || !other) return [];
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name)).slice(0, 3);
}

/** The arguments of a call as JSON texts by their names. */
function argumentsOf(text: string): Map<string, string> | undefined {
  try {
    const value = parseExact(text);
    return isObject(value)
      ? new Map(Object.entries(value).map(([name, each]) => [name, canonicalJson(each)]))
      : undefined;
  } catch {
    return undefined;
  }
}
