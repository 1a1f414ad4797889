import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FakeAwsEndpoint } from "../fake-aws/endpoint.ts";

const stateMachineArn = "arn:aws:states:eu-central-1:123456789012:stateMachine:turns";

/** The variables of all functions of the service and its console. */
function environmentOf({ endpoint }: FakeAwsEndpoint): Record<string, string> {
  return {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL: endpoint,
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    DOCUMENTS_FUNCTION: "documents",
    RETENTION_DAYS: "90",
    MAX_UPLOAD_BYTES: "100000000",
    SECRET_PREFIX: "agent-run-service/prod/",
    STATE_MACHINE_ARN: stateMachineArn,
    SERVICE_STACK: "AgentRunService-prod",
    SERVICE_URL: "https://example.com",
    CONSOLE_ROLES: JSON.stringify({ claim: "groups", operators: ["ops"], viewers: [] }),
  };
}

interface Answered {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** `done`: nothing is left to do. Otherwise, the next invocation gets `turn`. */
export interface Advanced {
  done: boolean;
  turn: number;
}

export type Json = Record<string, unknown>;

/** Milliseconds that an invocation of `advance` has. */
const invocation = 900_000;

async function json<Body = Json>(answered: Promise<Answered>): Promise<Body> {
  const { statusCode, body } = await answered;
  if (statusCode >= 400) throw new Error(`${statusCode} ${body}`);
  return JSON.parse(body || "null") as Body;
}

/**
 * The functions of a release, from its sources in `folder`, in a process of their own: as Lambda runs them, but for the bundling.
 * They see one table, one bucket and one state machine. Disposal kills the process.
 */
export function releaseFunctions(folder: string, aws: FakeAwsEndpoint) {
  const worker = fork(fileURLToPath(new URL("worker.mjs", import.meta.url)), [folder], {
    env: { PATH: process.env["PATH"], ...environmentOf(aws) },
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  let count = 0;
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  worker.on("message", ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    if (error === undefined) open.get(id)?.resolve(result);
    else open.get(id)?.reject(new Error(error));
    open.delete(id);
  });
  worker.once("exit", () => {
    for (const { reject } of open.values()) reject(new Error("the process ended"));
  });

  /** Invokes a function. Rejects with its error, or if the process ends. */
  function invoke<Result>(entry: string, event: object = {}): Promise<Result> {
    const id = ++count;
    const answer = Promise.withResolvers<unknown>();
    open.set(id, answer);
    worker.send({ id, entry, event, remaining: invocation });
    return answer.promise as Promise<Result>;
  }

  function request(entry: string, line: string, token: string, body?: object, more: object = {}): Promise<Answered> {
    const [method = "", target = ""] = line.split(" ");
    const [rawPath = "", rawQueryString = ""] = target.split("?");
    const { headers = {}, ...event } = more as { headers?: object };
    return invoke(entry, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      rawPath,
      rawQueryString,
      pathParameters: { agent_id: rawPath.split("/").at(-1) },
      isBase64Encoded: false,
      ...(body && { body: JSON.stringify(body) }),
      requestContext: { requestId: "r", http: { method } },
      ...event,
    });
  }

  return {
    invoke,

    /** Sends a request of v1. Resolves with status and body as text. */
    async v1(line: string, key: string, body?: object): Promise<string> {
      const answered = await request(line.startsWith("POST") ? "create" : "get", line, key, body);
      return `${answered.statusCode} ${answered.body}`;
    },

    /** Sends a request to the extension API. Rejects if its status is an error. `line`: `GET /runs`. */
    ext<Body = Json>(line: string, key: string, body?: object, headers: Record<string, string> = {}): Promise<Body> {
      return json(request("ext", line.replace(" ", " /ext/v1"), key, body, { headers }));
    },

    /** Sends a request to the management API as an operator. Rejects if its status is an error. */
    manage<Body = Json>(line: string, body?: object): Promise<Body> {
      const claims = { sub: "mira", groups: ["ops"] };
      const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
      const [, method = ""] = /^(\w+) /.exec(line) ?? [];
      const requestContext = { requestId: "r", http: { method }, authorizer: { jwt: claims } };
      return json(request("manage", line.replace(" ", " /manage/v1"), token, body, { requestContext }));
    },

    /** Calls `advance` as the state machine does, once. */
    advance: (runId: string, turn: number) => invoke<Advanced>("advance", { runId, turn, stateMachineArn }),

    /** Sets the clock of the process ahead, also of invocations in progress. */
    setClock: (milliseconds: number) => void worker.send({ clock: milliseconds }),
    [Symbol.dispose]: () => void worker.kill("SIGKILL"),
  };
}

export type ReleaseFunctions = ReturnType<typeof releaseFunctions>;
