import type { LimitReason, RunLimits } from "../../src/agent/turn/limits.ts";
import type { ChosenSettings } from "../../src/runs/chosen-settings.ts";
import { CliError } from "../cli.ts";

const limitNames: LimitReason[] = ["steps", "tokens", "seconds", "inputTokens", "outputTokens", "dollars"];
const scopes = { turn: "limits", run: "runLimits" } as const;

/** The values of `--model` and `--limit`. Undefined: neither is given. */
export function chosenOf({ model, limit = [] }: { model?: string; limit?: string[] }): ChosenSettings | undefined {
  if (model === undefined && limit.length === 0) return undefined;
  const chosen: ChosenSettings = { ...(model !== undefined && { model }) };
  for (const text of limit) {
    const { scope, name, most } = limitOf(text);
    const before: RunLimits = chosen[scopes[scope]] ?? {};
    if (before[name] !== undefined) throw new CliError(`--limit ${scope}.${name} is given twice`);
    chosen[scopes[scope]] = { ...before, [name]: most };
  }
  return chosen;
}

function limitOf(text: string): { scope: keyof typeof scopes; name: LimitReason; most: number } {
  const [, scope, named, value] = /^(turn|run)\.(\w+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const name = limitNames.find((each) => each === named);
  const most = Number(value);
  if (name && most > 0 && (name === "dollars" || Number.isInteger(most))) {
    return { scope: scope === "turn" ? "turn" : "run", name, most };
  }
  throw new CliError(
    `--limit is ${JSON.stringify(text)}; expected turn.NAME=NUMBER or run.NAME=NUMBER, such as turn.steps=20, with ${limitNames.join(", ")}`,
  );
}
