import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import type { Accounts, AuditEntry } from "../../src/accounts/account-types.ts";
import type { Trials } from "../../src/trials/ports.ts";
import { maxCases, maxConcurrency } from "../../src/trials/names.ts";
import type { Trial, TrialCase } from "../../src/trials/trial-types.ts";

/** Contract tests of `Trials`. `open` is called once. Each test creates its own trials. */
export function describeTrials(open: () => Promise<{ trials: Trials; accounts: Accounts }>): void {
  describe("trials", () => {
    let trials: Trials;
    let accounts: Accounts;
    beforeAll(async () => {
      ({ trials, accounts } = await open());
    });
    const auditOf = async (id: string): Promise<string[]> =>
      (await accounts.listAudit({ since: 0, limit: 1_000 }))
        .filter((entry) => entry.id === id)
        .map(({ action }) => action);

    test("a trial and its cases read back as they were created, the order of fields included", async () => {
      const schema = { type: "object", properties: { b: {}, a: nested(40) } };
      const trial = newTrial({ mode: "next_step" });
      trial.settings.assertions.push({ kind: "output_fits", schema });
      trial.judge = { ...trial.candidate, definition: { ...trial.candidate.definition, result: { schema } } };
      const outcome = { ending: { kind: "voted", better: "candidate", reason: "Shorter." }, used: noUsage } as const;
      const vote = { runId: "V", budget: { dollars: 0.1 }, outcome };
      const cases = [1, 2, 10].map((number) => newCase(trial.id, number));
      const first = { step: 2, path: "messages.1", reason: "The request differs at messages.1." };
      const steps = { compared: 3, changed: 1, first };
      const ended = { ending: { kind: "finished" }, assertions: [], used: noUsage, steps } as const;
      for (const one of cases) {
        one.recordedFirst = vote;
        one.candidate = { runId: "C", budget: {}, outcome: { ...ended, assertions: [] } };
      }
      await trials.create(trial, cases.toReversed(), { audit: entryOf(trial.id, "trial.create") });
      expect(JSON.stringify(await trials.find(trial.id))).toBe(JSON.stringify(trial));
      expect(JSON.stringify(await trials.listCases(trial.id))).toBe(JSON.stringify(cases));
      expect(await trials.findCase(trial.id, 10)).toEqual(cases[2]);
      expect(await trials.findCase(trial.id, 3)).toBeUndefined();
      expect(await auditOf(trial.id)).toEqual(["trial.create"]);
    });

    test("a definition of 500 KB and a case of 100 KB read back, and are replaced by small and large ones", async () => {
      const trial = newTrial();
      const withInstructions = (instructions: string, revision: number): Trial => {
        const { candidate } = trial;
        return {
          ...trial,
          revision,
          candidate: { ...candidate, definition: { ...candidate.definition, instructions } },
        };
      };
      const large = withInstructions("é🚀".repeat(85_000), 0);
      const largeCase = { ...newCase(trial.id, 1), cannotBeTried: "x".repeat(100_000) };
      await trials.create(large, [largeCase]);
      expect(await trials.find(trial.id)).toEqual(large);
      expect(await trials.listCases(trial.id)).toEqual([largeCase]);
      for (const [index, instructions] of ["small", "y".repeat(200_000)].entries()) {
        const next = withInstructions(instructions, index + 1);
        const nextCase = { ...newCase(trial.id, 1), revision: index + 1, cannotBeTried: instructions };
        expect(await trials.replace(next)).toBe(true);
        expect(await trials.replaceCase(nextCase)).toBe(true);
        expect(await trials.find(trial.id)).toEqual(next);
        expect(await trials.findCase(trial.id, 1)).toEqual(nextCase);
      }
    });

    test(`${maxCases} cases are created and listed in their order`, async () => {
      const trial = newTrial();
      const cases = Array.from({ length: maxCases }, (_, index) => newCase(trial.id, index + 1));
      await trials.create(trial, cases);
      expect(await trials.listCases(trial.id)).toEqual(cases);
    });

    test("an existing id is refused, and the trial keeps its record and cases", async () => {
      const trial = newTrial();
      await trials.create(trial, [newCase(trial.id, 1)]);
      const other = { ...newTrial(), id: trial.id };
      const otherCase = { ...newCase(trial.id, 1), cannotBeTried: "other" };
      for (const cases of [[otherCase], []]) {
        const again = trials.create(other, cases, { audit: entryOf(trial.id, "trial.create") });
        await expect(again).rejects.toThrow(Error);
      }
      expect(await trials.find(trial.id)).toEqual(trial);
      expect(await trials.listCases(trial.id)).toEqual([newCase(trial.id, 1)]);
      expect(await auditOf(trial.id)).toEqual([]);
    });

    test("of several writers that know a revision, one replaces the trial, and the audit has this one", async () => {
      const trial = newTrial();
      await trials.create(trial, []);
      const writers = [1, 2, 3, 4].map((updatedAt) => Object.assign({}, trial, { revision: 1, updatedAt }));
      const outcomes = await Promise.all(
        writers.map((next) => trials.replace(next, { audit: entryOf(trial.id, `trial.by-${next.updatedAt}`) })),
      );
      const winners = writers.filter((_, index) => outcomes[index]);
      expect(winners).toHaveLength(1);
      expect(await trials.find(trial.id)).toEqual(winners[0]);
      expect(await auditOf(trial.id)).toEqual([`trial.by-${winners[0]?.updatedAt}`]);
      for (const revision of [0, 1, 3]) expect(await trials.replace({ ...trial, revision })).toBe(false);
      expect(await trials.replace({ ...trial, revision: 2 })).toBe(true);
    });

    test("a claim replaces a trial and its cases, or nothing", async () => {
      const trial = newTrial({ status: "running" });
      const cases = Array.from({ length: maxConcurrency }, (_, index) => newCase(trial.id, index + 1));
      await trials.create(trial, cases);
      const claimed = (runId: string, revision = 1) =>
        cases.map((one) => Object.assign({}, one, { revision, candidate: { runId, budget: {} } }));
      const names = ["a", "b", "c"];
      const outcomes = await Promise.all(names.map((name) => trials.claim({ ...trial, revision: 1 }, claimed(name))));
      const winners = names.filter((_, index) => outcomes[index]);
      expect(winners).toHaveLength(1);
      const won = claimed(winners[0] ?? "");
      expect(await trials.listCases(trial.id)).toEqual(won);
      const judged = { ...newCase(trial.id, 2), revision: 2 };
      expect(await trials.replaceCase(judged)).toBe(true);
      expect(await trials.claim({ ...trial, revision: 2 }, claimed("d", 2))).toBe(false); // a case has changed
      expect(await trials.claim({ ...trial, revision: 1 }, [{ ...judged, revision: 3 }])).toBe(false); // the trial has
      expect(await trials.find(trial.id)).toEqual({ ...trial, revision: 1 });
      expect(await trials.listCases(trial.id)).toEqual(won.with(1, judged as (typeof won)[number]));
    });
  });
}

export function newTrial(fields: Partial<Trial> = {}): Trial {
  const definition = {
    name: "A",
    instructions: "Answer.",
    tools: [],
    limits: { steps: 3, tokens: 1_000, seconds: 60 },
  };
  const hash = "a".repeat(64);
  return {
    id: randomUUID(),
    agentId: randomUUID(),
    organizationId: randomUUID(),
    createdAt: 1_763_000_000_000,
    updatedAt: 1_763_000_000_000,
    revision: 0,
    status: "estimated",
    candidate: { hash, definition },
    control: { definition, hash, version: 1 },
    settings: { outside: { default: "stop" }, control: 0, concurrency: 2, assertions: [], budget: { dollars: 1 } },
    estimate: { cases: 1, tokens: { low: 1, high: 2 }, sends: [] },
    cases: 1,
    ...fields,
  };
}

export function newCase(trialId: string, number: number): TrialCase {
  const used = { ...noUsage, inputTokens: 1, outputTokens: 2, steps: 1 };
  return { trialId, number, revision: 0, source: { runId: `run of ${number}`, turn: 1, used } };
}

/** Objects in each other: DynamoDB accepts 32 levels. */
function nested(levels: number): object {
  return levels === 0 ? {} : { inner: nested(levels - 1) };
}

function entryOf(id: string, action: string): AuditEntry {
  return { at: Date.now(), actor: "mira", action, id } as AuditEntry;
}
