import { findAgent } from "../../accounts/agents/agents.ts";
import { timeIn } from "../../http/rest/parameter-values.ts";
import { ServiceError } from "../../errors.ts";
import { decodePlace, encodePlace } from "../../runs/read/cursor.ts";
import { compareRuns, readCase } from "../../trials/cases/side-by-side.ts";
import { deleteTrial, judgeCase, startTrial, stopTrial } from "../../trials/control-trial.ts";
import { type Candidate, createTrial, type JudgeChoice } from "../../trials/create-trial.ts";
import { findCase, findTrial } from "../../trials/find-trial.ts";
import { orderCases, verdictOf } from "../../trials/verdict.ts";
import type { CaseSelection } from "../../trials/cases/select-cases.ts";
import type { Trial } from "../../trials/trial-types.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import { checkedDefinition } from "../checked-definition.ts";
import type { ManageDeps } from "../deps.ts";
import { wireComparison } from "../wire/run-comparison.ts";
import { wireCase, wireCaseDetail, wireTrial, wireTrialHead } from "../wire/trial.ts";

type Body = Schemas["CreateTrialRequest"];

/** Trials of changes of agents. */
export function trialHandlers(deps: ManageDeps) {
  const { trials, accounts } = deps;
  const wired = async (trial: Trial) => wireTrial(trial, await trials.listCases(trial.id));

  return {
    async create_trial({ path, body, principal: { actor } }) {
      const { id, organizationId } = await findAgent(accounts, path.agent_id);
      const candidate = await candidateIn(deps, organizationId, body);
      const { outside = {}, control, concurrency, assertions, budget = {}, tier } = body;
      const rules = outside.tools;
      const settings = {
        outside: { default: outside.default ?? "stop", ...(rules && { tools: rules }) },
        control,
        concurrency,
        assertions: assertions as Trial["settings"]["assertions"],
        budget,
        ...(tier && { tier }),
      };
      const judge = await judgeIn(deps, organizationId, body);
      const chosen = {
        candidate,
        ...(judge && { judge }),
        cases: selectionIn(body),
        settings,
      };
      const created = await createTrial({ ...deps, actor }, id, chosen);
      return wireTrial(created.trial, created.cases);
    },

    async list_trials({ path, query: { limit, cursor } }) {
      const { id: agentId } = await findAgent(accounts, path.agent_id);
      const place = cursor === undefined ? undefined : decodePlace(cursor);
      const after = place && { after: { createdAt: place.time, id: place.id } };
      const page = await trials.list({ agentId, limit, ...after });
      const data = page.trials.map(async (trial) => wireTrialHead(trial, await trials.listCases(trial.id)));
      const next = page.next ? encodePlace({ time: page.next.createdAt, id: page.next.id }) : null;
      return { data: await Promise.all(data), next };
    },

    async get_trial({ path }) {
      return wired(await findTrial(trials, path.trial_id));
    },

    async start_trial({ path, principal: { actor } }) {
      return wired(await startTrial({ ...deps, actor }, path.trial_id));
    },

    async stop_trial({ path, principal: { actor } }) {
      return wired(await stopTrial({ ...deps, actor }, path.trial_id));
    },

    async delete_trial({ path, principal: { actor } }) {
      await deleteTrial({ ...deps, actor }, path.trial_id);
    },

    async list_trial_cases({ path, query: { verdict } }) {
      const trial = await findTrial(trials, path.trial_id);
      const cases = (await trials.listCases(trial.id)).filter((one) => !verdict || verdictOf(one) === verdict);
      const data = orderCases(cases).map((one) => wireCase(trial, one));
      return { data, next: null };
    },

    async get_trial_case({ path }) {
      const [trial, one] = await Promise.all([
        findTrial(trials, path.trial_id),
        findCase(trials, path.trial_id, path.number),
      ]);
      return wireCaseDetail(trial, one, await readCase(deps, one));
    },

    async set_verdict({ path, body, principal: { actor } }) {
      const trial = await findTrial(trials, path.trial_id);
      const place = { trialId: trial.id, number: path.number };
      const judged = await judgeCase({ ...deps, actor }, place, body.verdict ?? undefined);
      return wireCase(trial, judged);
    },

    async compare_runs({ path, query: { turn, other_run_id, other_turn } }) {
      const compared = await compareRuns(deps, { id: path.run_id, turn }, { id: other_run_id, turn: other_turn });
      return wireComparison(compared);
    },
  } satisfies ManageHandlers;
}

async function candidateIn(
  deps: ManageDeps,
  organizationId: string,
  { definition, version }: Pick<Body, "definition" | "version">,
): Promise<Candidate> {
  if (version !== undefined && !definition) return { version };
  if (!definition || version !== undefined) {
    throw invalid(`expected definition or version, received ${definition ? "both" : "neither"}`);
  }
  return { definition: await checkedDefinition(deps, organizationId, definition) };
}

async function judgeIn(
  deps: ManageDeps,
  organizationId: string,
  { judge }: Pick<Body, "judge">,
): Promise<JudgeChoice | undefined> {
  if (!judge) return undefined;
  const { agent_id: agentId, definition } = judge;
  if (agentId !== undefined && !definition) return { agentId };
  if (!definition || agentId !== undefined) {
    throw invalid(`judge: expected agent_id or definition, received ${definition ? "both" : "neither"}`);
  }
  return { definition: await checkedDefinition(deps, organizationId, definition) };
}

function selectionIn({ last, status, label, since, runs, suite }: Body): CaseSelection {
  const others = [last, status, label, since, runs].filter((each) => each !== undefined).length;
  if (suite !== undefined && others === 0) return { suite };
  if (runs && suite === undefined && last === undefined && !status && label === undefined && since === undefined) {
    return { runs: runs.map(({ run_id: runId, turn }) => ({ runId, ...(turn !== undefined && { turn }) })) };
  }
  if (last === undefined || runs || suite !== undefined) {
    throw invalid("expected last, with status, label and since if wanted, or runs or suite alone");
  }
  const at = label?.indexOf("=") ?? 0;
  return {
    last,
    ...(status && { statuses: status }),
    ...(label !== undefined && { label: { name: label.slice(0, at), value: label.slice(at + 1) } }),
    ...(since !== undefined && { since: timeIn("since", since) }),
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}
