import type { Principal } from "../accounts/authenticate.ts";
import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { Accounts } from "../accounts/types.ts";
import type { ApiRequest, ApiResponse } from "../http/handler.ts";
import { WithHeaders } from "../http/rest/call.ts";
import { type EventsDeps, listEvents, type RunStream } from "../http/rest/list-events.ts";
import { charged, pointOf, searchIn } from "../http/rest/parameter-values.ts";
import type { SharedSchemas } from "../http/rest/schemas/types.ts";
import { createdFilesOf, wireFile, wireShared } from "../http/rest/wire/run.ts";
import { log } from "../log.ts";
import { answerCall } from "../runs/answer-call.ts";
import { acceptInputOnce, type InputLimits, stopRun } from "../runs/control-run.ts";
import { createRun, type CreateRunDeps } from "../runs/create-run.ts";
import { type ChangedFile, findRunFile, listChangedFiles, notKept } from "../runs/files/read-files.ts";
import type { Labels } from "../runs/labels.ts";
import type { RunOrder } from "../runs/read/fact-filter.ts";
import { type FoundRuns, type RunSearch, searchRuns } from "../runs/read/search-runs.ts";
import { untilIdle } from "../runs/read/until-idle.ts";
import { setLabels } from "../runs/set-labels.ts";
import type { Run, RunOwner } from "../runs/types.ts";
import { type AnswerBody, givenAnswer } from "./given-answer.ts";
import { type CreateBody, idempotencyIn, newRunOf } from "./new-run.ts";
import { type TaggedBody, taggedResponse } from "./run-tag.ts";
import { tokenHandlers } from "./token-handlers.ts";

/** The shapes of runs in an API: types of its schemas. */
interface RunShapes {
  Run: object;
  RunPage: object;
  RunDetail: object;
}

/** What differs between the extension API and the management API: who sees which runs, and how. */
export interface RunAccess<Caller, Shapes extends RunShapes> {
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
  streamOf: (caller: Caller) => RunStream;
  /** A response with the content of a file. Undefined: the content is no longer kept. */
  download: (request: ApiRequest, runId: string, file: ChangedFile) => Promise<ApiResponse | undefined>;
}

interface Deps extends Omit<EventsDeps, "now">, CreateRunDeps, InputLimits {
  /** Milliseconds between two looks at a run whose end a read waits for. Absent: reads do not wait. */
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
interface RunCall<Caller> {
  request: ApiRequest;
  principal: Caller;
  path: { run_id: string };
}

/** Who does something: the operator, for the audit, or the holder of a key. */
function by(caller: Principal | OperatorPrincipal): Pick<CreateRunDeps, "actor"> & Pick<Principal, "starter"> {
  if ("actor" in caller) return { actor: caller.actor };
  return caller.starter ? { starter: caller.starter } : {};
}

/** The handlers of the operations that the extension API and the management API both have. */
export function runHandlers<Caller extends Principal | OperatorPrincipal, Shapes extends RunShapes>(
  deps: Deps,
  access: RunAccess<Caller, Shapes>,
) {
  const { find, viewOf, streamOf } = access;

  return {
    ...tokenHandlers<Caller>(deps, find, by),

    /** Not a handler: each API adds whose run it is. */
    async create({ request, principal, body }: Omit<RunCall<Caller>, "path"> & { body: CreateBody }, owner: RunOwner) {
      const { id, files, replayed } = await createRun({ ...deps, ...by(principal) }, owner, newRunOf(request, body));
      if (!replayed) log("info", "run created", { requestId: request.id, runId: id });
      const run = await viewOf(await find(principal, id));
      const json = { ...run, files: createdFilesOf(files).map((file) => wireShared("CreatedFile", file)) };
      return new WithHeaders(json, replayed ? { "idempotent-replayed": "true" } : {});
    },

    async list_runs({ principal, query }: { principal: Caller; query: ListQuery }) {
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
    }: RunCall<Caller> & { caller: () => Promise<Caller>; query: { wait?: number } }) {
      const { streams, wait: { interval } = { interval: 0 } } = deps;
      const { wait = 0 } = query;
      using waiting = wait > 0 ? streams?.open(streamOf(principal).viewers) : undefined;
      const seconds = streams && !waiting ? 0 : wait; // a client with as many streams as it may have polls
      const signal = request.whileConnected?.() ?? new AbortController().signal;
      const read = async () => find(await caller(), path.run_id);
      const run = await untilIdle({ read, seconds, interval, signal });
      const basis = [run, await access.basisOf?.(run)];
      return taggedResponse({ request, basis, now: deps.now }, () => access.detailOf(run));
    },

    async create_input({ request, principal, path, body }: RunCall<Caller> & { body: { input_text: string } }) {
      const { id } = await find(principal, path.run_id);
      const idempotency = idempotencyIn(request, body, id);
      const accepting = { ...deps, ...by(principal) };
      const { run, replayed } = await acceptInputOnce(accepting, id, body.input_text, idempotency);
      return new WithHeaders(await viewOf(run), replayed ? { "idempotent-replayed": "true" } : {});
    },

    async answer_call({ principal, path, body }: RunCall<Caller> & { body: AnswerBody }) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await answerCall({ ...deps, ...by(principal) }, id, givenAnswer(body)));
    },

    async update_run({ principal, path, body }: RunCall<Caller> & { body: { labels: Labels } }) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await setLabels({ ...deps, ...by(principal) }, id, body.labels));
    },

    async stop_run({ principal, path }: RunCall<Caller>) {
      const { id } = await find(principal, path.run_id);
      return viewOf(await stopRun({ ...deps, ...by(principal) }, id));
    },

    async list_events(call: RunCall<Caller> & Parameters<typeof listEvents>[2]) {
      const run = await find(call.principal, call.path.run_id);
      return listEvents(deps, run, call, streamOf(call.principal));
    },

    async list_files({ principal, path, query }: RunCall<Caller> & { query: { at?: string } }) {
      const { id } = await find(principal, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return { data: files.map(wireFile), next: null } satisfies SharedSchemas["RunFilePage"];
    },

    async get_file({
      request,
      principal,
      path,
      query,
    }: RunCall<Caller> & { path: { name: string }; query: { at?: string } }) {
      const { id } = await find(principal, path.run_id);
      const at = query.at === undefined ? undefined : pointOf(query.at);
      const file = await findRunFile(deps, id, path.name, at);
      const response = await access.download(request, id, file);
      if (!response) throw notKept(file, at);
      return response;
    },
  };
}
