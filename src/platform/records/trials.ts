import { isActive } from "../../trials/names.ts";
import type { Trials } from "../../trials/ports.ts";
import type { Trial, TrialCase } from "../../trials/trial-types.ts";
import { head, sortable } from "../aws/dynamodb/table.ts";
import { belonging } from "./accounts.ts";
import { type Change, type Kind, type List, put, type Records } from "./port.ts";

export const trials: Kind<Trial> = {
  keyOf: ({ id }) => [id],
  row: {
    table: "trials",
    key: ["id"],
    columns: { agent_id: "agentId", created_at: "createdAt", status: "status", revision: "revision" },
  },
  item: {
    key: (id) => ({ pk: `TRIAL#${id}`, sk: head }),
    lists: ({ id, agentId, createdAt, status }) => ({
      id,
      gsi1pk: `TRIALS#${agentId}`,
      gsi1sk: `${sortable(createdAt)}#${id}`,
      gsi2pk: isActive(status) ? activePartition : undefined,
      gsi2sk: isActive(status) ? id : undefined,
    }),
    text: true,
  },
};

const trialsOfAgent: List<Trial> = {
  kind: trials,
  sql: `SELECT body, created_at AS at, id FROM trials WHERE agent_id = ? AND (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`,
  query: (agentId) => ({ index: "gsi1", pk: `TRIALS#${agentId}` }),
};

/** Partition of active trials in the running index: there are few, and changes of cases do not write it. */
const activePartition = "TRIALS#ACTIVE";

const activeTrials: List<Trial, string> = {
  kind: trials,
  sql: "SELECT json_quote(id) AS body FROM trials WHERE status IN ('running', 'stopping') ORDER BY id",
  query: () => ({ index: "gsi2", pk: activePartition }),
  attributes: ["gsi2sk"],
  found: ({ gsi2sk }) => String(gsi2sk),
};

const casePrefix = "CASE#";

export const cases: Kind<TrialCase> = {
  keyOf: ({ trialId, number }) => [trialId, number],
  row: { table: "trial_cases", key: ["trial", "number"], columns: { revision: "revision" } },
  item: {
    key: (trialId, number) => ({ pk: `TRIAL#${trialId}`, sk: casePrefix + String(number).padStart(5, "0") }),
    lists: ({ trialId, number, source }) => ({ gsi1pk: `TRIED#${source.runId}`, gsi1sk: `${trialId}#${number}` }),
    text: true,
  },
};

/** A trial has up to 500 cases, and a list up to 100 trials. */
const casesOfTrial: List<TrialCase> = {
  kind: cases,
  sql: "SELECT body FROM trial_cases WHERE trial = ? ORDER BY number",
  owners: "SELECT organization_id, agent_id FROM trials JOIN agents ON agents.id = agent_id WHERE trials.id = ?",
  query: (trialId) => ({ pk: `TRIAL#${trialId}`, prefix: casePrefix }),
};

const casesOfRun: List<TrialCase, Pick<TrialCase, "trialId" | "number">> = {
  kind: cases,
  sql: `SELECT json_object('trialId', trial, 'number', number) AS body FROM trial_cases
    WHERE json_extract(body, '$.source.runId') = ? ORDER BY trial, number`,
  query: (runId) => ({ index: "gsi1", pk: `TRIED#${runId}` }),
  attributes: ["gsi1sk"],
  found({ gsi1sk }) {
    const [trialId = "", number] = String(gsi1sk).split("#");
    return { trialId, number: Number(number) };
  },
};

function replacing<T extends Trial | TrialCase>(kind: Kind<T>, record: T): Change {
  return put(kind, record, record.revision - 1);
}

/** Trials in a store of records. Each has the revision that it is stored with. */
export function trialsOf(records: Records): Trials {
  return {
    async create(trial, all, along) {
      const first = [put(trials, trial, "none"), ...belonging(along)];
      const created = await records.commit([...first, ...all.map((one) => put(cases, one, "none"))]);
      if (!created) throw new Error(`trial ${trial.id} already exists; use a new id`);
    },
    find: (id) => records.find(trials, id),
    async list({ agentId, limit, after }) {
      const { found, ...next } = await records.page(trialsOfAgent, [agentId], { after, limit });
      return { trials: found, ...next };
    },
    listActive: () => records.list(activeTrials),
    replace: (trial, along) => records.commit([replacing(trials, trial), ...belonging(along)]),
    claim: (trial, claimed) =>
      records.commit([replacing(trials, trial), ...claimed.map((one) => replacing(cases, one))]),
    listCases: (trialId) => records.list(casesOfTrial, trialId),
    findCase: (trialId, number) => records.find(cases, trialId, number),
    listCasesOf: (runId) => records.list(casesOfRun, runId),
    replaceCase: (one, along) => records.commit([replacing(cases, one), ...belonging(along)]),
    async remove(id, along) {
      await records.removeAll(casesOfTrial, id);
      // The trial is last: until then, it is listed, and another call continues.
      await records.commit([{ kind: trials, removed: [id] }, ...belonging(along)]);
    },
  };
}
