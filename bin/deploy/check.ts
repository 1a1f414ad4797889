import type { Fact } from "./account.ts";

/** The result of one check. `stop`: the deployment would fail; `text` names what to change. */
export interface Check {
  verdict: "ok" | "note" | "unknown" | "stop";
  name: string;
  text: string;
}

/** One line per check. */
export function describeChecks(checks: Check[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map(({ verdict, name, text }) => {
    const label = verdict === "stop" ? "STOP" : verdict;
    return `${label.padEnd(8)} ${name.padEnd(width)}  ${text}`;
  });
}

/** What a check found. `name`: if it differs from that of the check. */
export type Result = Omit<Check, "name"> & { name?: string };

/** Applies a check to a known fact. An unknown fact never stops the deployment. */
export function check<T>(name: string, fact: Fact<T>, judge: (value: T) => Result | Result[]): Check[] {
  if ("unknown" in fact) return [{ verdict: "unknown", name, text: fact.unknown }];
  return [judge(fact.value)].flat().map(({ verdict, text, name: own = name }) => ({ verdict, name: own, text }));
}

export const ok = (text: string): Result => ({ verdict: "ok", text });
export const note = (text: string): Result => ({ verdict: "note", text });
export const stop = (text: string): Result => ({ verdict: "stop", text });
