import { expect, it } from "vitest";
import type { Verdict } from "../../../src/trials/names.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import type { TrialCase, Attempt, VoteEnding } from "../../../src/trials/trial-types.ts";
import { verdictOf } from "../../../src/trials/verdict.ts";
import { arm, caseOf, differs, ended, leftRecord, sha } from "./samples.ts";

const broken = { assertions: [{ assertion: 0, holds: false, reason: "Expected a call of a, received no calls." }] };
const failure = { category: "limit", title: "The limit is reached." } as const;
const file = { name: "a", change: "added" } as const;

const worse = { verdict: { given: "worse", at: 1 } } as const;

type Better = "recorded" | "candidate" | "equal";

/** A vote of a judge. Undefined: in progress. */
function vote(better: Better | undefined): Attempt<VoteEnding> {
  const outcome = better && { ending: { kind: "voted" as const, better, reason: "Shorter." }, used: noUsage };
  return { runId: "V", budget: {}, ...(outcome && { outcome }) };
}

/** The votes with the recorded output as A, and with the candidate's. */
function votes(first: Better, second: Better | undefined): Pick<TrialCase, "recordedFirst" | "candidateFirst"> {
  return { recordedFirst: vote(first), candidateFirst: vote(second) };
}

it.each<[string, Partial<TrialCase>, Verdict | undefined]>([
  ["cannot be tried", { cannotBeTried: "Its files have expired." }, "cannot_be_tried"],
  ["is not tried yet", {}, undefined],
  ["is in progress", { candidate: { runId: "R", budget: {} } }, undefined],
  ["was stopped", { candidate: ended({ kind: "stopped" }) }, undefined],
  ["left the record", { candidate: ended(leftRecord, broken) }, "left_record"],
  ["failed", { candidate: ended({ kind: "failed", failure }, broken) }, "failed"],
  ["broke an assertion", { candidate: arm(broken) }, "assertion_broken"],
  ["broke an assertion with another output", { candidate: arm({ ...broken, ...differs }) }, "assertion_broken"],
  ["is the same", { candidate: arm({ assertions: [{ assertion: 0, holds: true }] }) }, "same"],
  ["has another output", { candidate: arm(differs) }, "different"],
  ["has other files", { candidate: arm({ comparison: { sameOutput: true, files: [file] } }) }, "different"],
  ["is the same, and its control differs", { candidate: arm(), control: arm(differs) }, "same"],
  ["is better for a person", { candidate: arm(differs), verdict: { given: "better", by: sha("a"), at: 1 } }, "better"],
  ["is being judged", { candidate: arm(differs), ...votes("candidate", undefined) }, undefined],
  ["is better for the judge", { candidate: arm(differs), ...votes("candidate", "candidate") }, "better"],
  ["is worse for the judge", { candidate: arm(differs), ...votes("recorded", "recorded") }, "worse"],
  ["is equal for the judge", { candidate: arm(differs), ...votes("equal", "equal") }, "equal"],
  ["always has the first output better", { candidate: arm(differs), ...votes("recorded", "candidate") }, "unclear"],
  ["is better or equal", { candidate: arm(differs), ...votes("candidate", "equal") }, "unclear"],
  ["is worse for a person", { candidate: arm(differs), ...votes("equal", "equal"), ...worse }, "worse"],
  ["is equal for a person", { candidate: arm(broken), verdict: { given: "equal", at: 1 } }, "equal"],
])("a case that %s has its verdict", (_, more, verdict) => expect(verdictOf(caseOf(more))).toBe(verdict));

it("a finished turn without a comparison has no verdict, but is an error", () => {
  expect(() => verdictOf(caseOf({ candidate: ended({ kind: "finished" }) }))).toThrow("without a comparison");
});
