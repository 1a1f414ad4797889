import type { Trials } from "../../trials/ports.ts";
import type { Trial, TrialCase } from "../../trials/types.ts";
import { tickByTick } from "../../async/tick-by-tick.ts";
import { auditWriter } from "./audit.ts";
import type { Database } from "./database/sqlite.ts";

/** Trials and their cases, each in a row. */
export function localTrials({ db, read, write }: Database): Trials {
  const insertTrial = db.prepare(
    "INSERT INTO trials (id, agent_id, created_at, status, revision, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const insertCase = db.prepare("INSERT INTO trial_cases (trial, number, revision, body) VALUES (?, ?, ?, ?)");
  const select = db.prepare("SELECT body FROM trials WHERE id = ?");
  const newest = db.prepare(
    "SELECT body FROM trials WHERE agent_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?",
  );
  const active = db.prepare("SELECT id FROM trials WHERE status IN ('running', 'stopping') ORDER BY id");
  const updateTrial = db.prepare("UPDATE trials SET status = ?, revision = ?, body = ? WHERE id = ? AND revision = ?");
  const selectCases = db.prepare("SELECT body FROM trial_cases WHERE trial = ? ORDER BY number");
  const ownersOf = db.prepare(
    "SELECT organization_id, agent_id FROM trials JOIN agents ON agents.id = agent_id WHERE trials.id = ?",
  );
  const inTurn = tickByTick();
  const selectCase = db.prepare("SELECT body FROM trial_cases WHERE trial = ? AND number = ?");
  const selectCasesOf = db.prepare(
    "SELECT trial, number FROM trial_cases WHERE json_extract(body, '$.source.runId') = ? ORDER BY trial, number",
  );
  const updateCase = db.prepare(
    "UPDATE trial_cases SET revision = ?, body = ? WHERE trial = ? AND number = ? AND revision = ?",
  );
  const dropCases = db.prepare("DELETE FROM trial_cases WHERE trial = ?");
  const dropTrial = db.prepare("DELETE FROM trials WHERE id = ?");
  const insertAudit = auditWriter(db);
  const trialAt = db.prepare("SELECT 1 FROM trials WHERE id = ? AND revision = ?");
  const caseAt = db.prepare("SELECT 1 FROM trial_cases WHERE trial = ? AND number = ? AND revision = ?");

  function replaceTrial(trial: Trial): boolean {
    const { id, status, revision } = trial;
    return updateTrial.run(status, revision, JSON.stringify(trial), id, revision - 1).changes > 0;
  }

  function replaceCase(one: TrialCase): boolean {
    const { trialId, number, revision } = one;
    return updateCase.run(revision, JSON.stringify(one), trialId, number, revision - 1).changes > 0;
  }

  return {
    create: (trial, cases, { audit } = {}) =>
      write(() => {
        const { id, agentId, createdAt, status, revision } = trial;
        insertTrial.run(id, agentId, createdAt, status, revision, JSON.stringify(trial));
        for (const one of cases) insertCase.run(id, one.number, one.revision, JSON.stringify(one));
        if (audit) insertAudit(audit);
      }),

    async find(id) {
      const row = read(() => select.get(id));
      return row && parse<Trial>(row);
    },

    async list({ agentId, limit, after = { createdAt: Number.MAX_SAFE_INTEGER, id: "" } }) {
      const found = read(() => newest.all(agentId, after.createdAt, after.id, limit + 1)).map(parse<Trial>);
      const trials = found.slice(0, limit);
      const last = trials.at(-1);
      const more = found.length > limit && last;
      return { trials, ...(more && { next: { createdAt: last.createdAt, id: last.id } }) };
    },

    listActive: async () => read(() => active.all()).map(({ id }) => String(id)),

    replace: (trial, { audit } = {}) =>
      write(() => {
        const replaced = replaceTrial(trial);
        if (replaced && audit) insertAudit(audit);
        return replaced;
      }),

    claim: (trial, cases) =>
      write(() => {
        const { id, revision } = trial;
        if (!trialAt.get(id, revision - 1)) return false;
        if (!cases.every((one) => caseAt.get(id, one.number, one.revision - 1))) return false;
        replaceTrial(trial);
        for (const one of cases) replaceCase(one);
        return true;
      }),

    // A trial has up to 500 cases, and a list up to 100 trials.
    listCases(trialId) {
      const { organization_id: organization, agent_id: agent } = read(() => ownersOf.get(trialId)) ?? {};
      const owners = [String(organization), String(agent)];
      return inTurn(owners, () => read(() => selectCases.all(trialId)).map(parse<TrialCase>));
    },

    async findCase(trialId, number) {
      const row = read(() => selectCase.get(trialId, number));
      return row && parse<TrialCase>(row);
    },

    listCasesOf: async (runId) =>
      read(() => selectCasesOf.all(runId)).map(({ trial, number }) => ({
        trialId: String(trial),
        number: Number(number),
      })),

    replaceCase: (one, { audit } = {}) =>
      write(() => {
        const replaced = replaceCase(one);
        if (replaced && audit) insertAudit(audit);
        return replaced;
      }),

    remove: (id, { audit } = {}) =>
      write(() => {
        dropCases.run(id);
        if (dropTrial.run(id).changes > 0 && audit) insertAudit(audit);
      }),
  };
}

function parse<Body>({ body }: Record<string, unknown>): Body {
  return JSON.parse(String(body)) as Body;
}
