import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../src/accounts/agents/agents.ts";
import { deleteAgent } from "../../src/accounts/agents/delete-agent.ts";
import { createKey, setKeyEnabled } from "../../src/accounts/keys.ts";
import { createOperator, revokeOperator } from "../../src/accounts/operators.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Agent } from "../../src/accounts/account-types.ts";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { operations as publicOperations } from "../../src/v1/contract.ts";
import type { Operation } from "../../src/http/description.ts";
import type { ExtDeps } from "../../src/ext/deps.ts";
import {
  type OperationName as ExtName,
  operations as extOperations,
} from "../../src/ext/contract/operations/ext-operations.ts";
import { operations as manageOperations } from "../../src/manage/contract/operations/manage-operations.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { type WholeResponse, wholeService } from "../support/whole-service.ts";

/** A key whose agent was archived keeps what only reads, and the end of a run. */
const whenArchived: Record<Exclude<ExtName, "get_openapi">, number> = {
  get_agent: 200,
  create_run: 409,
  list_runs: 200,
  get_run: 200,
  update_run: 200,
  create_run_token: 201,
  list_run_tokens: 200,
  revoke_run_token: 204,
  create_input: 409,
  answer_call: 404, // the run has asked about no call
  stop_run: 200,
  list_events: 200,
  list_files: 200,
  get_file: 200,
  delete_run: 403, // the agent's file does not allow it
  create_upload: 409,
  receive_upload: 409,
};

/** The error of a tool of an archived agent. Undefined: the tool works. */
const toolsWhenArchived: Record<string, string | undefined> = {
  start_run: "is archived; unarchive it to create runs",
  send_input: "is archived; unarchive it to send inputs",
  wait_for_run: undefined,
  get_run: undefined,
  list_files: undefined,
  read_file: undefined,
  stop_run: undefined,
};

type AnyOperation = Pick<Operation, "operationId" | "method" | "path" | "authenticated">;

const authenticated = (operations: Record<string, AnyOperation>): AnyOperation[] =>
  Object.values(operations).filter((each) => each.authenticated);
/** Status and code of a response; v1 has the text instead. */
const tell = ({ status, body }: WholeResponse) => [status, body?.["code"] ?? body?.["detail"]];

const content = Buffer.from("hello");
const definition = { name: "A", instructions: "", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };

/**
 * Contract tests of credentials that have ended: each operation of each API refuses them. `open` is called once. `transfers`:
 * of the platform.
 */
export function describeEndedCredentials(
  open: () => Promise<Stores & Pick<Platform, "trials" | "companions">>,
  transfers: ExtDeps["transfers"],
): void {
  describe("ended credentials", () => {
    let stores: Stores & Pick<Platform, "trials" | "companions">;
    let service: ReturnType<typeof wholeService>;
    /** The run, file and upload of an agent. */
    type Owned = Record<"agent_id" | "run_id" | "upload_id" | "key" | "run_token", string>;
    const byCredential: Record<string, Owned> = {};
    const operatorTokens: Record<string, string> = {};

    beforeAll(async () => {
      stores = await open();
      service = wholeService(stores, transfers);
      const { accounts } = stores;
      const model = { provider: "demo", enabled: true } as const;
      const organization = await createOrganization(accounts, { name: "O", model });
      const own = async (end: (agent: Agent, key: string) => Promise<unknown>): Promise<Owned> => {
        const agent = await createAgent(accounts, organization.id, definition);
        const { key } = await createKey(accounts, agent.id, { expiresAt: Date.now() + 86_400_000 });
        const files = [{ filename: "hello.txt", content_base64: content.toString("base64") }];
        const call = (path: string, body: object) => service.call({ method: "POST", path, token: key, body });
        const run = await call("/ext/v1/runs", { name: "r", files, token: {} });
        const announced = { filename: "f", size: content.length, sha256: sha256Of(content) };
        const upload = await call("/ext/v1/uploads", announced);
        await end(agent, key);
        return {
          agent_id: agent.id,
          run_id: String(run.body?.["id"]),
          upload_id: String(upload.body?.["upload_id"]),
          key,
          run_token: String((run.body?.["token"] as { token?: string } | undefined)?.token),
        };
      };
      const expire = async (id: string): Promise<void> => {
        const [key] = await accounts.listKeys(id);
        if (key) await accounts.replaceKey({ ...key, expiresAt: Date.now() });
      };
      byCredential["disabled"] = await own((_, key) => setKeyEnabled(accounts, key, false));
      byCredential["expired"] = await own(({ id }) => expire(id));
      byCredential["of a deleted agent"] = await own(({ id }) => deleteAgent(accounts, id));
      byCredential["of an archived agent"] = await own(({ id }) => setAgentStatus(accounts, id, "archived"));
      const [revoked, expired] = await Promise.all(
        ["revoked", "expired"].map((name) => createOperator(accounts, { name, role: "operator" })),
      );
      await revokeOperator(accounts, revoked?.stored.id ?? "");
      if (expired) await accounts.replaceOperator({ ...expired.stored, expiresAt: Date.now() });
      operatorTokens["revoked"] = revoked?.token ?? "";
      operatorTokens["expired"] = expired?.token ?? "";
      service.started.length = 0;
    });

    const bodies: Record<string, (owned: Owned) => object> = {
      "POST /v1/agents": ({ agent_id }) => ({ name: "r", template_id: agent_id, input_text: "x" }),
      "POST /ext/v1/runs": () => ({ name: "r", input_text: "x" }),
      "PATCH /ext/v1/runs/{run_id}": () => ({ labels: {} }),
      "POST /ext/v1/runs/{run_id}/answers": () => ({ call: "1.1.0", arguments_sha256: "0".repeat(64), output: "x" }),
      "POST /ext/v1/runs/{run_id}/input": () => ({ input_text: "x" }),
      "POST /ext/v1/uploads": () => ({ filename: "g", size: content.length, sha256: sha256Of(content) }),
    };

    /** Calls an operation with the run, file and upload of a key's agent. */
    function send({ method, path }: AnyOperation, owned: Owned, token = owned.key): Promise<WholeResponse> {
      const ids = { ...owned, name: "hello.txt" };
      const isRun = path.startsWith("/v1/");
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === "agent_id" && isRun ? owned.run_id : (ids[name as keyof typeof ids] ?? "x"),
      );
      const body = bodies[`${method} ${path}`]?.(owned);
      return service.call({ method, path: address, token, ...(body && { body }) });
    }

    const owned = (credential: string): Owned => byCredential[credential] as Owned;

    test.each([
      ["disabled", [401, "Invalid API key"], [401, "Invalid API key"]],
      ["expired", [401, "Invalid API key"], [401, "Invalid API key"]],
      ["of a deleted agent", [404, "Agent template not found"], [401, "Invalid API key"]],
    ] as const)("v1 refuses a key %s in its own words", async (credential, create, get) => {
      const { create: createRun, get: getRun } = publicOperations;
      expect(tell(await send(createRun, owned(credential)))).toEqual(create);
      expect(tell(await send(getRun, owned(credential)))).toEqual(get);
      expect(authenticated(publicOperations)).toHaveLength(2);
    });

    describe.each([
      ["disabled", [401, "key_invalid"]],
      ["expired", [401, "key_expired"]],
      ["of a deleted agent", [404, "agent_deleted"]],
    ] as const)("a key %s", (credential, expected) => {
      test.each(authenticated(extOperations))("cannot $operationId", async (operation) => {
        const isAbsent = operation.operationId === "receive_upload" && !("receive" in transfers);
        expect(tell(await send(operation, owned(credential)))).toEqual(isAbsent ? [404, "not_found"] : expected);
      });

      test("reaches no method of the MCP endpoint", async () => {
        const methods = ["initialize", "ping", "tools/list", "tools/call", "tasks/get", "tasks/update", "tasks/cancel"];
        for (const method of methods) {
          const { status, body } = await mcp(method, {}, owned(credential).key);
          expect([method, status, body?.["error"]]).toMatchObject([method, 401, { data: { code: expected[1] } }]);
        }
      });
    });

    describe.each([
      ["revoked", [401, "key_invalid"]],
      ["expired", [401, "key_expired"]],
    ] as const)("an operator token that is %s", (credential, expected) => {
      test.each(authenticated(manageOperations))("cannot $operationId", async (operation) => {
        const token = operatorTokens[credential] ?? "";
        expect(tell(await send(operation, owned("of an archived agent"), token))).toEqual(expected);
      });
    });

    describe("an archived agent", () => {
      test.each(authenticated(extOperations))("$operationId", async (operation) => {
        const { operationId } = operation;
        const isMissing = operationId === "receive_upload" && !("receive" in transfers);
        const { status, body } = await send(operation, owned("of an archived agent"));
        const expected = isMissing ? 404 : whenArchived[operationId as keyof typeof whenArchived];
        // A platform without a download of its own redirects to it.
        expect([status === 307 ? 200 : status, body?.["detail"]]).toEqual([
          expected,
          expected < 400 ? undefined : (expect.any(String) as string),
        ]);
        if (expected === 409) expect(body?.["code"]).toBe("agent_archived");
      });

      test("v1 creates no runs and reads them", async () => {
        const { create, get } = publicOperations;
        const archived = "Agent template is archived; unarchive it to create runs";
        expect(tell(await send(create, owned("of an archived agent")))).toEqual([409, archived]);
        expect((await send(get, owned("of an archived agent"))).status).toBe(200);
      });

      test("the tools of MCP start nothing and read everything", async () => {
        const { key, run_id } = owned("of an archived agent");
        const listed = (await mcp("tools/list", {}, key)).body?.["result"] as { tools: { name: string }[] };
        expect(listed.tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(toolsWhenArchived).toSorted());
        const given: Record<string, object> = {
          start_run: { name: "r", input_text: "x" },
          send_input: { run_id, input_text: "x" },
          read_file: { run_id, name: "hello.txt" },
        };
        for (const [name, problem] of Object.entries(toolsWhenArchived)) {
          const { body } = await mcp("tools/call", { name, arguments: given[name] ?? { run_id } }, key);
          const { isError } = (body?.["result"] ?? {}) as { isError?: boolean };
          expect([name, isError === true]).toEqual([name, problem !== undefined]);
          if (problem !== undefined) expect(JSON.stringify(body)).toContain(problem);
        }
      });
    });

    test.each([
      ["disabled", [200, undefined]],
      ["of an archived agent", [200, undefined]],
      ["of a deleted agent", [404, "agent_deleted"]],
    ] as const)("the token of a run, created with a key %s", async (credential, expected) => {
      const { run_id, run_token } = owned(credential);
      expect(run_token).toMatch(/^rt_/);
      for (const path of ["", "/events", "/files"]) {
        const read = await service.call({ method: "GET", path: `/ext/v1/runs/${run_id}${path}`, token: run_token });
        expect([path, read.status, read.body?.["code"]]).toEqual([path, ...expected]);
      }
      const { create, get } = publicOperations;
      for (const operation of [create, get]) {
        expect(tell(await send(operation, owned(credential), run_token))).toEqual([401, "Invalid API key"]);
      }
    });

    test("no turn was started, and nothing was stored for an ended key", async () => {
      expect(service.started).toEqual([]);
      const { token } = await createOperator(stores.accounts, { name: "reader", role: "viewer" });
      for (const { agent_id, run_id } of Object.values(byCredential)) {
        const path = `/manage/v1/runs?agent_id=${agent_id}`;
        const { body } = await service.call({ method: "GET", path, token });
        expect(body).toMatchObject({ data: [{ id: run_id, turn: 0 }], next: null });
      }
    });

    test("the keys of a deleted agent are listed as disabled, and stay so", async () => {
      const { agent_id, key } = owned("of a deleted agent");
      expect(await stores.accounts.listKeys(agent_id)).toMatchObject([{ enabled: false, agentDeleted: true }]);
      await expect(setKeyEnabled(stores.accounts, key, true)).rejects.toMatchObject({ code: "agent_deleted" });
    });

    function mcp(method: string, params: object, token: string): Promise<WholeResponse> {
      const clientInfo = { name: "test", version: "1" };
      const first = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      const body = { jsonrpc: "2.0", id: 1, method, params: method === "initialize" ? first : params };
      return service.call({ method: "POST", path: "/mcp", token, body });
    }
  });
}
