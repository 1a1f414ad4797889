import { timeOf } from "../../http/rest/wire/time.ts";
import type { AddedCases } from "../../trials/suites/add-cases.ts";
import type { KeptCase, Suite } from "../../trials/suites/types.ts";
import type { Schemas } from "../call.ts";

export function wireSuiteHead({ name, agentId, createdAt, createdBy }: Suite, cases: number): Schemas["SuiteHead"] {
  return { name, agent_id: agentId, created_by: createdBy ?? null, created_at: timeOf(createdAt), cases };
}

export function wireSuite(suite: Suite, cases: KeptCase[]): Schemas["Suite"] {
  return { ...wireSuiteHead(suite, cases.length), data: cases.map(wireKept) };
}

function wireKept({ runId, origin, input, keptAt, keptBy, redacted }: KeptCase): Schemas["SuiteCase"] {
  return {
    id: runId,
    run_id: origin.runId,
    turn: origin.turn,
    input,
    kept_by: keptBy ?? null,
    kept_at: timeOf(keptAt),
    redacted,
  };
}

export function wireAdded({ added, present, refused }: AddedCases): Schemas["AddedCases"] {
  return {
    added: added.map(wireKept),
    present: present.map(wireKept),
    refused: refused.map(({ runId, turn, reason, unredacted = [] }) => ({ run_id: runId, turn, reason, unredacted })),
  };
}
