import type { Principal } from "../accounts/authenticate.ts";
import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { Owners } from "../async/scheduler.ts";
import type { OpenCounts } from "../http/open-counts.ts";
import type { RunDescriber } from "../runs/read/describe-runs.ts";
import type { Accounts } from "../accounts/account-types.ts";
import type { ApiRequest } from "../http/handler.ts";
import { WithHeaders } from "../http/rest/call.ts";
import { charged, pointOf, searchIn } from "../http/rest/parameter-values.ts";
import type { SharedSchemas } from "../http/rest/schemas/schema-types.ts";
import { wireFile, wirePart } from "../http/rest/wire/run.ts";
import { log } from "../log.ts";
import { answerCall } from "../runs/control/answer-call.ts";
import { acceptInputOnce, type InputLimits, stopRun } from "../runs/control/control-run.ts";
import { createRun, type CreateRunDeps } from "../runs/begin/create-run.ts";
import { listChangedFiles } from "../runs/files/read-files.ts";
import type { Labels } from "../runs/labels.ts";
import type { RunOrder } from "../runs/read/search/fact-filter.ts";
import { type FoundRuns, type RunSearch, searchRuns } from "../runs/read/search/search-runs.ts";
import { untilIdle } from "../runs/read/until-idle.ts";
import { setLabels } from "../runs/control/set-labels.ts";
import type { Run, RunOwner } from "../runs/run-types.ts";
import { type AnswerBody, givenAnswer } from "./given-answer.ts";
import { type NewRunBody, idempotencyIn, newRunOf } from "./new-run.ts";
import { type TaggedBody, taggedResponse } from "./run-tag.ts";
import { tokenHandlers } from "./token-handlers.ts";

/** The shapes of runs in an API: types of its schemas. */
interface RunShapes {
  Run: object;
  RunPage: object;
  RunDetail: object;
}

/** What differs between the extension API and the management API: who sees which runs, and how. */
interface RunAccess<Caller, Shapes extends RunShapes> {
  /** Rejects with `run_not_found` for a run that the caller may not see. */
  find: (caller: Caller, id: string) => Promise<Run>;
  /** Whose runs a list shows. */
  ownersOf: (caller: Caller, query: OwnerFilters) => RunSearch["of"];
  /** The accounts for lists, which pages refresh. */
  listAccounts: Accounts;
  viewOf: (run: Run) => Promise<Shapes["Run"]>;
  pageOf: (found: FoundRuns) => Shapes["RunPage"];
  detailOf: (run: Run) => Promise<TaggedBody<Shapes["RunDetail"]>>;
  /** What details show that is not of the run. Absent: nothing. */
  basisOf?: (run: Run) => Promise<unknown>;
  /** Whose open streams are counted. */
  viewersOf: (caller: Caller) => Owners;
}

interface Deps extends CreateRunDeps, InputLimits {
  describer: RunDescriber;
  /** Counts open streams and waiting reads together. Absent: not limited. */
  streams?: OpenCounts;
  /** How often a read that waits for the end of a run checks it, in milliseconds. Absent: reads do not wait. */
  wait?: { interval: number };
}

/** The management API has the first two of these filters, the extension API the last. */
interface OwnerFilters {
  organization_id?: string;
  agent_id?: string;
  template_id?: string;
}

interface ListQuery extends OwnerFilters, Filters {
  status?: RunSearch["statuses"];
  sort?: RunOrder;
  cursor?: string;
  limit: number;
}
type Filters = Parameters<typeof searchIn>[0];

/** A validated request that names a run. */
export interface RunCall<Caller> {
  request: ApiRequest;
  principal: Caller;
  path: { run_id: string };
}

/** Who does something: the operator, for the audit, or the holder of a key. */
function by(caller: AnyCaller): Pick<CreateRunDeps, "actor"> & Pick<Principal, "starter"> {
  if ("actor" in caller) return { actor: caller.actor };
  return caller.starter ? { starter: caller.starter } : {};
}

type AnyCaller = Principal | OperatorPrincipal;

/** The handlers of the operations that the extension API and the management API both have. */
export function sharedRunHandlers<Of extends AnyCaller, Shapes extends RunShapes>(
  deps: Deps,
  access: RunAccess<Of, Shapes>,
) {
  return { ...tokenHandlers<Of>(deps, access.find, by), ...readHandlers(deps, access), ...writeHandlers(deps, access) };
}

function readHandlers<Of extends AnyCaller, Shapes extends RunShapes>(deps: Deps, access: RunAccess<Of, Shapes>) {
  const { find } = access;
  return {
    async list_runs({ principal, query }: { principal: Of; query: ListQuery }) {
      const { status, cursor, limit } = query;
      const search = {
        of: access.ownersOf(principal, query),
        limit,
        ...(status && { statuses: status }),
        now: deps.now(),
        ...searchIn(query),
        ...charged(principal),
        ...(query.sort && { order: query.sort }),
        ...(cursor !== undefined && { cursor }),
      };
      return access.pageOf(await searchRuns({ ...deps, accounts: access.listAccounts }, search));
    },

    async get_run({
      request,
      principal,
      caller,
      path,
      query,
    }: RunCall<Of> & { caller: () => Promise<Of>; query: { wait?: number } }) {
      const { streams, wait: { interval } = { interval: 0 } } = deps;
      const { wait = 0 } = query;
      using waiting = wait > 0 ? streams?.open(access.viewersOf(principal)) : undefined;
      const seconds = streams && !waiting ? 0 : wait; // a client with as many streams as it may have polls
      const read = async () => find(await caller(), path.run_id);
      const untilEnd = () => {
        const signal = request.whileConnected?.() ?? new AbortController().signal;
        return untilIdle({ read, seconds, interval, signal });
      };
      const run = await (seconds > 0 ? untilEnd() : read()); // the signal of a client takes 4 % of a plain poll
      const basis = [run, await access.basisOf?.(run)];
      return taggedResponse({ request, basis, now: deps.now }, () => access.detailOf(run));
    },

    async list_files({ principal, path, query }: RunCall<Of> & { query: { at?: string } }) {
      const { id } = await find(principal, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return { data: files.map(wireFile), next: null } satisfies SharedSchemas["RunFilePage"];
    },
  };
}

function writeHandlers<Of extends AnyCaller, Shapes extends RunShapes>(deps: Deps, access: RunAccess<Of, Shapes>) {
  const { find, viewOf } = access;
  return {
    /** Not a handler: each API adds whose run it is. */
    create: async ({ request, principal, body }: Omit<RunCall<Of>, "path"> & { body: NewRunBody }, owner: RunOwner) => {
      const { id, files, replayed } = await createRun({ ...deps, ...by(principal) }, owner, newRunOf(request, body));
      if (!replayed) log("info", "run created", { requestId: request.id, runId: id });
      const run = await viewOf(await find(principal, id));
      const json = { ...run, files: files.map((file) => wirePart("CreatedFile", file)) };
      return new WithHeaders(json, replayed ? { "idempotent-replayed": "true" } : {});
    },

    async create_input({ request, principal, path, body }: RunCall<Of> & { body: { input_text: string } }) {
      const { id } = await find(principal, path.run_id);
      const idempotency = idempotencyIn(request, body, id);
      const accepting = { ...deps, ...by(principal) };
      const { run, replayed } = await acceptInputOnce(accepting, id, body.input_text, idempotency);
      return new WithHeaders(await viewOf(run), replayed ? { "idempotent-replayed": "true" } : {});
    },

    async answer_call({ principal, path, body }: RunCall<Of> & { body: AnswerBody }) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await answerCall({ ...deps, ...by(principal) }, id, givenAnswer(body)));
    },

    async update_run({ principal, path, body }: RunCall<Of> & { body: { labels: Labels } }) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await setLabels({ ...deps, ...by(principal) }, id, body.labels));
    },

    async stop_run({ principal, path }: RunCall<Of>) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await stopRun({ ...deps, ...by(principal) }, id));
    },
  };
}
