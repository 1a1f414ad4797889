import { findAgent } from "../../accounts/agents/agents.ts";
import { ServiceError } from "../../errors.ts";
import { addCases, type TurnToKeep } from "../../trials/suites/add-cases.ts";
import { deleteSuite, removeFromSuite } from "../../trials/erase-trials.ts";
import { createSuite, findSuite, listKept, listSuites, type RedactionRule } from "../../trials/suites/suites.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { wireAdded, wireSuite, wireSuiteHead } from "../wire/suite.ts";

type Body = Schemas["AddCasesRequest"];

/** Turns that are kept to try changes on them. */
export function suiteHandlers(deps: ManageDeps) {
  const { accounts, runs } = deps;

  return {
    async list_suites({ path }) {
      const { id } = await findAgent(accounts, path.agent_id);
      const data = (await listSuites(runs, id)).map(async (suite) =>
        wireSuiteHead(suite, (await listKept(runs, suite)).length),
      );
      return { data: await Promise.all(data), next: null };
    },

    async create_suite({ path, body, principal: { actor } }) {
      return wireSuite(await createSuite({ ...deps, actor }, path.agent_id, body.name), []);
    },

    async get_suite({ path }) {
      const { id } = await findAgent(accounts, path.agent_id);
      const suite = await findSuite(runs, id, path.suite);
      return wireSuite(suite, await listKept(runs, suite));
    },

    async delete_suite({ path, principal: { actor } }) {
      await deleteSuite({ ...deps, actor }, path.agent_id, path.suite);
    },

    async add_cases({ path, body, principal: { actor } }) {
      const place = { agentId: path.agent_id, name: path.suite };
      const redaction = { rules: body.redact.map(ruleIn), unredacted: body.unredacted };
      const added = await addCases({ ...deps, actor }, place, body.cases.map(turnIn), redaction);
      return wireAdded(added);
    },

    async remove_case({ path, principal: { actor } }) {
      const place = { agentId: path.agent_id, name: path.suite };
      await removeFromSuite({ ...deps, actor }, place, path.case_id);
    },
  } satisfies ManageHandlers;
}

function turnIn({ run_id, turn, trial_id, number }: Body["cases"][number], index: number): TurnToKeep {
  if (run_id !== undefined && trial_id === undefined && number === undefined) {
    return { runId: run_id, ...(turn !== undefined && { turn }) };
  }
  if (trial_id !== undefined && number !== undefined && run_id === undefined && turn === undefined) {
    return { trialId: trial_id, number };
  }
  throw invalid(`cases.${index}: expected run_id, with turn if wanted, or trial_id and number`);
}

function ruleIn({ text, pattern, replacement }: Body["redact"][number], index: number): RedactionRule {
  if ((text === undefined) === (pattern === undefined)) {
    throw invalid(`redact.${index}: expected text or pattern, received ${text === undefined ? "neither" : "both"}`);
  }
  const rule = text === undefined ? { pattern: pattern ?? "" } : { text };
  return { ...rule, ...(replacement !== undefined && { replacement }) };
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}
