import type { AddedCases } from "../../trials/suites/add-cases.ts";
import type { KeptCase, Suite } from "../../trials/suites/suites.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

export function wireSuiteHead(suite: Suite, cases: number): Schemas["SuiteHead"] {
  return wire("SuiteHead", { ...suite, cases });
}

export function wireSuite(suite: Suite, cases: KeptCase[]): Schemas["Suite"] {
  return { ...wireSuiteHead(suite, cases.length), data: cases.map(wireKept) };
}

function wireKept({ runId, origin, ...kept }: KeptCase): Schemas["SuiteCase"] {
  return wire("SuiteCase", { ...kept, ...origin, id: runId });
}

export function wireAdded({ added, present, refused }: AddedCases): Schemas["AddedCases"] {
  return {
    added: added.map(wireKept),
    present: present.map(wireKept),
    refused: refused.map(({ runId, turn, reason, unredacted = [] }) => ({ run_id: runId, turn, reason, unredacted })),
  };
}
