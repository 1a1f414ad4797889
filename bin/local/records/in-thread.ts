import type { Principal } from "../../../src/accounts/authenticate.ts";
import { limitedTo } from "../../../src/accounts/access.ts";
import type { OperatorPrincipal } from "../../../src/accounts/operators.ts";
import type { Owners } from "../../../src/async/scheduler.ts";
import type { ApiRequest, ApiResponse } from "../../../src/http/handler.ts";
import { acceptsStream } from "../../../src/http/rest/list-events.ts";
import { isOwn } from "../../../src/runs/control/own-run.ts";
import type { Uses } from "../../../src/runs/ports.ts";
import type { RecordThread } from "./record-thread.ts";
import type { Work } from "./work.ts";

/** Bytes of a record from which it is read in the thread. Reading less takes about 3 ms here, and 0.5 ms more there. */
const largeBytes = 256 * 1024;

/** A validated request, as far as it says whose record is read. */
interface RecordCall {
  request: ApiRequest;
  principal: Principal | OperatorPrincipal;
  path: { run_id?: string };
  query: { other_run_id?: string };
  body: object | undefined;
}

type Handler = (call: RecordCall) => Promise<ApiResponse>;

/** The handlers of an API, of which those that read large records hand their request over to the thread. `recordBytes`: of the record of a run; 0: there is none. */
export function inThread<Handlers extends object>(
  handlers: Handlers,
  work: Record<keyof Handlers, Work>,
  { thread, runs, recordBytes }: Uses<"runs"> & { thread: RecordThread; recordBytes: (runId: string) => number },
): Handlers {
  const isLarge = async ({ path, query, principal }: RecordCall): Promise<boolean> => {
    const ids = [path.run_id, query.other_run_id].filter((id) => id !== undefined);
    if (ids.length === 0) return true;
    return (await mayRead(runs, principal, ids)) && ids.some((id) => recordBytes(id) > largeBytes);
  };
  const handOver =
    (handler: Handler): Handler =>
    async (call) => {
      const { request, principal, body } = call;
      if (acceptsStream(request.headers["accept"]) || !(await isLarge(call))) return handler(call);
      const { id, method, path, headers, whileConnected } = request;
      const given = { query: request.query.toString(), body: body ? JSON.stringify(body) : "" };
      return thread.handle({ id, method, path, headers, ...given }, ownersOf(principal), whileConnected?.());
    };
  const entries = Object.entries(handlers as Record<string, Handler>);
  const handed = entries.map(([name, handler]) => [
    name,
    work[name as keyof Handlers] === "record" ? handOver(handler) : handler,
  ]);
  return Object.fromEntries(handed) as Handlers;
}

/** Nothing is read of runs of others, which the handler rejects. The router has checked what operators name. */
async function mayRead(
  runs: Uses<"runs">["runs"],
  principal: RecordCall["principal"],
  ids: string[],
): Promise<boolean> {
  if ("actor" in principal) return true;
  const found = await Promise.all(ids.map((id) => runs.head(id)));
  return found.every((run) => isOwn(run, principal));
}

/** From the largest owner to the smallest. Operators of one organization share what it gets, those of several have their own. */
function ownersOf(principal: Principal | OperatorPrincipal): Owners {
  if ("actor" in principal) return [limitedTo(principal)?.toSorted().join(" ") ?? "all organizations", principal.actor];
  const { organizationId, agentId, starter } = principal;
  return [organizationId, agentId, starter?.id ?? "token"];
}
