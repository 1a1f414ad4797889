import { limitedTo, operatorIn } from "../../accounts/access.ts";
import { findAgent } from "../../accounts/agents/agents.ts";
import type { OperatorPrincipal } from "../../accounts/operators.ts";
import { charged, pointOf, searchIn, timeIn } from "../../http/rest/parameter-values.ts";
import { callFieldsOf, wirePart } from "../../http/rest/wire/run.ts";
import { ServiceError } from "../../errors.ts";
import { sharedRunHandlers } from "../../operations/run-handlers.ts";
import { deleteRun } from "../../runs/control/control-run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { forkRun } from "../../runs/fork/fork-run.ts";
import type { SettingsChanges } from "../../runs/fork/fork-settings.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import type { ReportQuery } from "../../runs/read/each-run.ts";
import { failureGroups } from "../../runs/read/reports/failures.ts";
import { agentActivity } from "../../runs/read/reports/agent-activity.ts";
import { countRuns } from "../../runs/read/reports/count-runs.ts";
import { waitingRuns } from "../../runs/read/reports/waiting-runs.ts";
import { searchTexts } from "../../runs/read/search/search-texts.ts";
import type { RunSearch } from "../../runs/read/search/search-runs.ts";
import { retryRun } from "../../runs/control/retry-run.ts";
import type { Run } from "../../runs/run-types.ts";
import { usageByDay } from "../../runs/read/reports/usage-by-day.ts";
import type { Call, ManageHandlers, Schemas } from "../call.ts";
import { checkedDefinition } from "../checked-definition.ts";
import type { ManageDeps } from "../deps.ts";
import { wireFoundTexts } from "../wire/found-texts.ts";
import { wireActivity, wireDayUsage, wireFailures, wireDetail, wireRun, wireStarter } from "../wire/run.ts";

/**
 * Runs of all agents: lists, counts, usage, and everything that an operator does with a run, its events and files. `forLists`: the accounts for
 * lists and counts, which pages refresh.
 */
export function manageRunHandlers(deps: ManageDeps, describer: RunDescriber, forLists: ManageDeps["accounts"]) {
  const { accounts, runs, now } = deps;

  async function viewOf(run: Run): Promise<Schemas["Run"]> {
    const agent = await accounts.findAgent(run.agentId);
    return wireRun(await describer.describe(run, agent));
  }

  /** The runs of a report: those of whole days. */
  function reportQuery(principal: OperatorPrincipal, query: Call<"get_usage">["query"]): ReportQuery {
    const today = startOfDay(now());
    const until = query.until === undefined ? today : timeIn("until", query.until);
    const since = query.since === undefined ? until - 30 * dayMilliseconds : timeIn("since", query.since);
    if (since > until) throw new ServiceError("invalid_argument", "since is after until; choose an earlier day");
    const of = ownersOf(principal, query);
    return { of, since, until: until + dayMilliseconds, milliseconds: maxReportTime, ...charged(principal) };
  }

  const { create, ...shared } = sharedRunHandlers<OperatorPrincipal, Schemas>(
    { ...deps, describer },
    {
      find: (_operator, id) => findRunHead(runs, id),
      ownersOf,
      listAccounts: forLists,
      viewOf,
      pageOf: ({ runs: found, cursor, complete = true }) => ({
        data: found.map(wireRun),
        next: cursor ?? null,
        complete,
      }),
      async detailOf(run) {
        const detail = await describer.detail(run);
        return { ...detail.holds, json: wireDetail(detail) };
      },
      async basisOf({ agentId }) {
        const agent = await forLists.findAgent(agentId);
        return agent && [agent.name, agent.status];
      },
      viewersOf: ({ actor }) => [actor],
    },
  );

  return {
    ...shared,

    async count_runs({ query, principal }) {
      const { status } = query;
      const owned = { of: ownersOf(principal, query), now: now(), ...(status && { statuses: status }) };
      const search = { ...owned, ...searchIn(query), ...charged(principal) };
      const found = await countRuns({ runs, accounts: forLists, describer }, search);
      const { medianMilliseconds, starters: startedBy, ...counts } = found;
      const median_seconds = medianMilliseconds === undefined ? null : medianMilliseconds / 1_000;
      const starters = startedBy.map(({ starter, count }) => Object.assign(wireStarter(starter), { count }));
      return { ...counts, starters, median_seconds };
    },

    async list_waiting({ query, principal }) {
      const { kind: kinds, answerable_by: by } = query;
      const own = by === "me" ? operatorIn(principal) : undefined;
      const found = await waitingRuns(
        { runs, accounts: forLists },
        {
          of: { ...ownersOf(principal, query), ...(own && { organizations: own }) },
          ...(kinds && { kinds }),
          forOperators: by === "operators",
          limit: maxWaiting,
          ...charged(principal),
        },
      );
      const waiting = found.waiting.map(async ({ run, calls }) => {
        return { run: await viewOf(run), open_calls: calls.map((call) => wirePart("OpenCall", callFieldsOf(call))) };
      });
      const body: Schemas["WaitingRunList"] = { data: await Promise.all(waiting), more: found.more };
      return body;
    },

    async search_texts({ query, principal }) {
      const search = { text: query.q, of: ownersOf(principal, query), limit: query.limit, milliseconds: maxReportTime };
      const stores = { ...deps, accounts: forLists, describer };
      return wireFoundTexts(await searchTexts(stores, { ...search, ...charged(principal) }));
    },

    async create_run(call) {
      const { id: agentId, organizationId } = await findAgent(accounts, call.body.agent_id);
      return create(call, { agentId, organizationId });
    },

    retry_run: async ({ path, principal: { actor } }) => await viewOf(await retryRun({ ...deps, actor }, path.run_id)),

    async fork_run({ path, body, principal: { actor } }) {
      const { organizationId } = await findRunHead(runs, path.run_id);
      const { at, name, input_text: inputText, results } = body;
      const settings = await forkSettingsIn(deps, organizationId, body);
      const fork = { at: pointOf(at), name, record: { inputText, results }, settings };
      return await viewOf(await forkRun({ ...deps, actor }, path.run_id, fork));
    },

    async delete_run({ path, principal: { actor } }) {
      await deleteRun({ ...deps, actor }, path.run_id);
    },

    async list_agent_activity({ query, principal }) {
      const of = ownersOf(principal, query);
      const activity = await agentActivity({ runs, accounts: forLists, now }, { of, ...charged(principal) });
      return wireActivity(activity);
    },

    async get_usage({ query, principal }) {
      const { rows, complete } = await usageByDay(deps, reportQuery(principal, query));
      const report: Schemas["UsageReport"] = { data: rows.map(wireDayUsage), next: null, complete };
      return report;
    },

    async get_failures({ query, principal }) {
      const { groups, complete } = await failureGroups(deps, reportQuery(principal, query));
      const report: Schemas["FailureReport"] = { data: groups.map(wireFailures), next: null, complete };
      return report;
    },
  } satisfies ManageHandlers;
}

async function forkSettingsIn(
  deps: ManageDeps,
  organizationId: string,
  { definition, version, model, instructions, tools }: Schemas["ForkRunRequest"],
): Promise<SettingsChanges> {
  const fields = { model, instructions, tools };
  const changesFields = Object.values(fields).some((value) => value !== undefined);
  const given = [definition, version, changesFields || undefined].filter((value) => value !== undefined).length;
  if (given > 1) {
    const message =
      "definition, version, and single fields (model, instructions, tools) cannot be combined; give one of them";
    throw new ServiceError("invalid_argument", message);
  }
  if (definition) return { definition: await checkedDefinition(deps, organizationId, definition) };
  return version === undefined ? fields : { version };
}

/** Runs of the list of those that wait for answers. */
const maxWaiting = 200;

const dayMilliseconds = 86_400_000;
/** Milliseconds for a report: API Gateway waits 30 s for a response. */
const maxReportTime = 20_000;

function startOfDay(milliseconds: number): number {
  return milliseconds - (milliseconds % dayMilliseconds);
}

function ownersOf(
  principal: OperatorPrincipal,
  { organization_id, agent_id }: Partial<Pick<Call<"list_runs">["query"], "organization_id" | "agent_id">>,
): RunSearch["of"] {
  const organizations = limitedTo(principal);
  return {
    ...(organization_id !== undefined && { organization: organization_id }),
    ...(agent_id !== undefined && { agent: agent_id }),
    ...(organizations && { organizations }),
  };
}
