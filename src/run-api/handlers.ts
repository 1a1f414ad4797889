import type { Actor } from "../accounts/audit.ts";
import type { Starter } from "../accounts/starter.ts";
import type { Accounts } from "../accounts/types.ts";
import { type ApiRequest, type ApiResponse, jsonResponse } from "../http/handler.ts";
import { type EventsDeps, listEvents, type RunStream } from "../http/rest/list-events.ts";
import { charged, pointOf, searchIn } from "../http/rest/parameter-values.ts";
import type { SharedSchemas } from "../http/rest/schemas/types.ts";
import { wireFile } from "../http/rest/wire/run.ts";
import type { AdmissionDeps } from "../runs/admission.ts";
import { answerCall } from "../runs/answer-call.ts";
import { acceptInputOnce, type InputLimits, stopRun } from "../runs/control-run.ts";
import { type ChangedFile, findRunFile, listChangedFiles, notKept } from "../runs/files/read-files.ts";
import type { Labels } from "../runs/labels.ts";
import { type AnswerBody, givenAnswer } from "./given-answer.ts";
import { idempotencyIn } from "./idempotency.ts";
import { type TaggedBody, taggedResponse } from "./run-tag.ts";
import { tokenHandlers } from "./token-handlers.ts";
import type { Stores } from "../runs/ports.ts";
import type { DescribedRun } from "../runs/read/describe-runs.ts";
import { type FoundRuns, type RunSearch, searchRuns } from "../runs/read/search-runs.ts";
import type { RunOrder } from "../runs/read/fact-filter.ts";
import { setLabels } from "../runs/set-labels.ts";
import type { Run } from "../runs/types.ts";

/** How an API gives its callers access to runs: what differs between the extension API and the management API. */
interface RunAccess<Caller> {
  /** Rejects with `run_not_found` for a run that the caller may not see. */
  find: (caller: Caller, id: string) => Promise<Run>;
  /** Whose runs a list shows. */
  ownersOf: (caller: Caller, query: OwnerFilters) => RunSearch["of"];
  /** The accounts for lists, which pages refresh. */
  listAccounts: Accounts;
  /** The operator, for the audit. Absent: callers are programs. */
  actorOf?: (caller: Caller) => Actor;
  /** Fields of a page of the list besides `data` and `next`. */
  pageFields?: (found: FoundRuns) => object;
  /** The bodies of responses. */
  wireRun: (described: DescribedRun) => object;
  viewOf: (run: Run) => Promise<object>;
  detailOf: (run: Run) => Promise<TaggedBody>;
  /** What details show that is not of the run. Absent: nothing. */
  basisOf?: (run: Run) => Promise<unknown>;
  streamOf: (caller: Caller) => RunStream;
  /** A response with the content of a file. Undefined: the content is no longer kept. */
  download: (request: ApiRequest, runId: string, file: ChangedFile) => Promise<ApiResponse | undefined>;
}

interface Deps extends EventsDeps, AdmissionDeps, InputLimits, Pick<Stores, "runs" | "workspace"> {
  accounts: AdmissionDeps["accounts"] & Pick<Accounts, "findKey">;
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

/** The handlers of the operations that the extension API and the management API both have. */
export function runHandlers<Caller extends Parameters<typeof charged>[0] & { starter?: Starter }>(
  deps: Deps,
  access: RunAccess<Caller>,
) {
  const { find, wireRun, viewOf } = access;

  /** With who calls: the operator, for the audit, or the holder of a key. */
  const audited = (caller: Caller) => {
    const { starter } = caller;
    return { ...deps, ...(access.actorOf && { actor: access.actorOf(caller) }), ...(starter && { starter }) };
  };

  return {
    ...tokenHandlers<Caller>(deps, { find, ...(access.actorOf && { actorOf: access.actorOf }) }),

    async list_runs({ principal, query }: { principal: Caller; query: ListQuery }) {
      const { status, cursor, limit } = query;
      const found = await searchRuns(
        { ...deps, accounts: access.listAccounts },
        {
          of: access.ownersOf(principal, query),
          limit,
          ...(status && { statuses: status }),
          now: deps.now(),
          ...searchIn(query),
          ...charged(principal),
          ...(query.sort && { order: query.sort }),
          ...(cursor !== undefined && { cursor }),
        },
      );
      const page = { data: found.runs.map(wireRun), next: found.cursor ?? null };
      return jsonResponse(200, { ...page, ...access.pageFields?.(found) });
    },

    async get_run({ request, principal, path }: RunCall<Caller>) {
      const run = await find(principal, path.run_id);
      const basis = [run, await access.basisOf?.(run)];
      return taggedResponse({ request, basis, now: deps.now }, () => access.detailOf(run));
    },

    async create_input({ request, principal, path, body }: RunCall<Caller> & { body: { input_text: string } }) {
      const { id } = await find(principal, path.run_id);
      const idempotency = idempotencyIn(request, body, id);
      const { run, replayed } = await acceptInputOnce(audited(principal), id, body.input_text, idempotency);
      return jsonResponse(202, await viewOf(run), replayed ? { "idempotent-replayed": "true" } : {});
    },

    async answer_call({ principal, path, body }: RunCall<Caller> & { body: AnswerBody }) {
      const { id } = await find(principal, path.run_id);
      return jsonResponse(200, await viewOf(await answerCall(audited(principal), id, givenAnswer(body))));
    },

    async update_run({ principal, path, body }: RunCall<Caller> & { body: { labels: Labels } }) {
      const { id } = await find(principal, path.run_id);
      return jsonResponse(200, await viewOf(await setLabels(audited(principal), id, body.labels)));
    },

    async stop_run({ principal, path }: RunCall<Caller>) {
      const { id } = await find(principal, path.run_id);
      return jsonResponse(200, await viewOf(await stopRun(audited(principal), id)));
    },

    async list_events(call: RunCall<Caller> & Parameters<typeof listEvents>[2]) {
      const run = await find(call.principal, call.path.run_id);
      return listEvents(deps, run, call, access.streamOf(call.principal));
    },

    async list_files({ principal, path, query }: RunCall<Caller> & { query: { at?: string } }) {
      const { id } = await find(principal, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return jsonResponse(200, { data: files.map(wireFile), next: null } satisfies SharedSchemas["RunFilePage"]);
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
