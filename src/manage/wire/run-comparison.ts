import type { ComparedTurn, TurnComparison } from "../../trials/cases/side-by-side.ts";
import type { Schemas } from "../call.ts";
import { wireCall } from "./trial.ts";
import { wireUsed } from "./trial-attempt.ts";

export function wireComparison({ left, right, sameOutput, files, calls }: TurnComparison): Schemas["RunComparison"] {
  return {
    run: wireTurn(left),
    other: wireTurn(right),
    same_output: sameOutput,
    files,
    files_unknown: null,
    calls: calls.rows.map(({ left: one, right: other, same }) => ({
      run: one ? wireCall(one) : null,
      other: other ? wireCall(other) : null,
      same,
    })),
    first_difference: calls.firstDifference ?? null,
  };
}

function wireTurn({ run, facts: { turn, input = "", output, used, priced } }: ComparedTurn): Schemas["ComparedTurn"] {
  const { id: run_id, name, agentId: agent_id, turn: turns } = run;
  return { run_id, name, agent_id, turn, turns, input, output: output ?? null, used: wireUsed(used, priced) };
}
