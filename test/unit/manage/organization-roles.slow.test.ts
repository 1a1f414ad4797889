import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { definitionHash } from "../../../src/accounts/agents/definition.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { createOperator } from "../../../src/accounts/operators.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import { addEndpoint, setWebhook } from "../../../src/accounts/webhooks.ts";
import { pathParameterNames } from "../../../src/http/openapi-document.ts";
import type { ManageOperation } from "../../../src/manage/contract/operations/operation.ts";
import { openapiDocument } from "../../../src/manage/generated/openapi.ts";
import { basePath } from "../../../src/manage/path.ts";
import { operations } from "../../../src/manage/contract/operations/manage-operations.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import type { RunJournalEntry, RunOwner } from "../../../src/runs/run-types.ts";
import { keptId } from "../../../src/runs/erase/kept.ts";
import { createSuite } from "../../../src/trials/suites/suites.ts";
import { newTrialId, ownerOfRuns } from "../../../src/trials/trial-id.ts";
import { answered, firstMessages, input, newRun, numbered, onTurn } from "../../platform/run-fixtures.ts";
import { bodyIdsOf, bodyWith } from "../../support/body-ids.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

/*
 * An operator of Acme and viewer of Beta, who may not know of Gamma.
 */

interface Owned {
  organization_id: string;
  agent_id: string;
  key_id: string;
  run_id: string;
  delivery_id: string;
  endpoint_id: string;
  trial_id: string;
  suite: string;
  case_id: string;
}

const ids = [
  "organization_id",
  "agent_id",
  "key_id",
  "run_id",
  "delivery_id",
  "endpoint_id",
  "trial_id",
  "suite",
  "case_id",
] as const;
const unknown: Owned = {
  organization_id: "00000000-0000-4000-8000-000000000001",
  agent_id: "00000000-0000-4000-8000-000000000002",
  key_id: "0".repeat(64),
  run_id: "00000000-0000-4000-8000-000000000003",
  delivery_id: `msg_${"0".repeat(32)}_1_finished`,
  endpoint_id: "ep_000000000000",
  trial_id: "trial-00000000-0000-4000-8000-000000000004",
  suite: "none",
  case_id: "00000000-0000-8000-8000-000000000005",
};
const definition = { name: "Agent", instructions: "Work.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
const bodies: Record<string, object> = {
  create_agent: { definition },
  update_agent: { definition },
  update_organization: { max_running: 2 },
  set_model: { provider: "demo" },
  set_model_configuration: { provider: "demo" },
  list_models: { provider: "demo" },
  store_secret: { value: "sk-1", hosts: ["api.example.com"] },
  set_web_fetch: { hosts: ["docs.example.com"] },
  create_run: { name: "Run" },
  fork_run: { at: "1.0" },
  create_trial: { version: 1, last: 1, control: 0, budget: { tokens: 1_000 } },
  set_verdict: { verdict: "worse" },
  create_suite: { name: "new" },
  add_cases: { cases: [{ run_id: unknown.run_id }] },
  create_input: { input_text: "go" },
  answer_call: { call: "1.1.0", arguments_sha256: "0".repeat(64), output: "x" },
  update_run: { labels: {} },
  set_webhook: { url: "https://example.com/hook", private_addresses: false, enabled: false },
  create_webhook_endpoint: { url: "https://example.com/hook", enabled: false },
  set_webhook_endpoint: { url: "https://example.com/hook", enabled: false },
};
const queries: Record<string, string> = { get_model_request: "?at=1.1", get_sent_request: "?at=1.1" };

let service: ManageService;
let token: string;
let acme: Owned;
let beta: Owned;
let gamma: Owned;
beforeAll(async () => {
  service = await manageService();
  [acme, beta, gamma] = await Promise.all([ownedBy("Acme"), ownedBy("Beta"), ownedBy("Gamma")]);
  const created = await service.call<{ token: string }>("POST", "/operators", {
    body: {
      name: "Jo",
      organizations: [
        { id: acme.organization_id, role: "operator" },
        { id: beta.organization_id, role: "viewer" },
      ],
    },
  });
  token = created.body.token;
});
afterAll(() => service[Symbol.asyncDispose]());

/** An organization with one of everything that operations name. */
async function ownedBy(name: string): Promise<Owned> {
  const { accounts } = service.platform;
  const { id } = await createOrganization(accounts, { name }, "mira");
  return newOwned(id);
}

/** One of everything that operations name, of an organization. */
async function newOwned(organizationId: string): Promise<Owned> {
  const { platform } = service;
  const { accounts } = platform;
  await setModel(accounts, organizationId, { provider: "demo", enabled: true });
  const { id: agentId } = await createAgent(accounts, organizationId, definition, "mira");
  const { stored } = await createKey(accounts, agentId, { actor: "mira" });
  await setWebhook(
    accounts,
    agentId,
    { url: "https://example.com/hook", privateAddresses: false, enabled: false },
    "mira",
  );
  const further = { url: "https://example.com/hook", privateAddresses: false, enabled: false };
  const { endpointId = "" } = await addEndpoint(accounts, agentId, further, "mira");
  const deps = { ...platform, workflow: { start: async () => {}, stop: async () => {} }, now: Date.now, actor: "mira" };
  const run = await createRun(deps, { agentId, organizationId }, { name: "Run", text: undefined, files: [] });
  const messageId = `msg_${run.id.replaceAll("-", "")}_1_finished`;
  const message = { messageId, agentId, organizationId, runId: run.id, turn: 1, type: "run.finished" } as const;
  const state = { status: "finished", at: 1, attempts: 1, state: "failed" } as const;
  await platform.deliveries.add({ id: messageId, ...message, ...state }, {});
  return {
    organization_id: organizationId,
    agent_id: agentId,
    key_id: stored.hash,
    run_id: run.id,
    delivery_id: messageId,
    endpoint_id: endpointId,
    trial_id: await newTrial({ agentId, organizationId }, run.id),
    ...(await newSuite(agentId)),
  };
}

/** A suite with a case, of which only the head is stored. */
async function newSuite(agentId: string): Promise<Pick<Owned, "suite" | "case_id">> {
  const { platform } = service;
  const { id } = await createSuite({ ...platform, now: Date.now, actor: "mira" }, agentId, "kept");
  const caseId = keptId("case", id);
  const times = { createdAt: 1, updatedAt: 1, turn: 1, sequence: 0 };
  const owner = { agentId: id, organizationId: id };
  await platform.runs.create({ id: caseId, ...owner, ...times, name: "Kept", status: "finished" }, []);
  return { suite: "kept", case_id: caseId };
}

/** A trial that was not started, with one case that cannot be tried. */
async function newTrial({ agentId, organizationId }: RunOwner, runId: string): Promise<string> {
  const id = newTrialId();
  const tried = { definition, hash: definitionHash(definition), version: 1 };
  const settings = { outside: { default: "stop" }, control: 0, concurrency: 1, assertions: [], budget: {} } as const;
  await service.platform.trials.create(
    {
      id,
      agentId,
      organizationId,
      createdAt: 1,
      updatedAt: 1,
      revision: 0,
      status: "estimated",
      candidate: tried,
      control: tried,
      settings: { ...settings, assertions: [] },
      estimate: { cases: 0, sends: [] },
      cases: 1,
    },
    [{ trialId: id, number: 1, revision: 0, source: { runId, turn: 1, used: noUsage }, cannotBeTried: "It is gone." }],
  );
  return id;
}

/** Calls an operation with what belongs to one organization. */
async function callWith(operation: ManageOperation, owned: Owned, as = token, sent?: object) {
  const { operationId, method, path, request } = operation;
  const given: Record<string, string> = {
    ...owned,
    operator_id: unknown.agent_id,
    version: "1",
    sequence: "1",
    name: "a",
    secret_name: "key",
    token_id: "a",
    number: "1",
  };
  const at = path.slice(basePath.length).replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? name);
  const named = bodyIds[operationId] === undefined ? {} : { [bodyIds[operationId]]: owned[bodyIds[operationId]] };
  const body = sent ?? { ...bodies[operationId], ...named };
  const sends = request !== undefined && Object.keys(body).length > 0;
  const query = operationId === "compare_runs" ? `?other_run_id=${owned.run_id}` : (queries[operationId] ?? "");
  const response = await service.call(method, `${at}${query}`, {
    token: as,
    ...(sends && { body }),
  });
  let text = JSON.stringify(response.body);
  for (const name of ids) text = text.replaceAll(owned[name], name);
  return { status: response.status, code: response.body["code"], text };
}

/** Operations whose body names what they concern. */
const bodyIds: Record<string, keyof Owned> = { create_agent: "organization_id", create_run: "agent_id" };

/** Ids in bodies. Those of operations that concern the service are for operators of all organizations. */
const idsInBodies = bodyIdsOf(openapiDocument).filter(
  ({ operationId }) => !operations[operationId as keyof typeof operations].service,
);
/** What a body needs beside an id. */
const besides: Record<string, object> = {
  "runs.[].run_id": { last: undefined },
  "judge.agent_id": {},
  "cases.[].trial_id": { cases: undefined },
};

const all = Object.values(operations);
const named = all.filter(
  ({ operationId, path, service: concernsService }) =>
    !concernsService &&
    (operationId in bodyIds || pathParameterNames(path).some((name) => (ids as readonly string[]).includes(name))),
);
const ofService = all.filter((operation) => operation.service);

test("bodies of operations name ids in eight places", () => {
  expect(idsInBodies.map(({ operationId, path }) => [operationId, ...path].join(" "))).toHaveLength(8);
});

test("every operation names what it concerns, concerns the service, or filters what it lists", () => {
  const rest = all.filter((operation) => !named.includes(operation) && !ofService.includes(operation));
  expect(rest.map(({ operationId }) => operationId).toSorted()).toEqual([
    "count_runs",
    "get_failures",
    "get_me",
    "get_openapi",
    "get_usage",
    "list_agent_activity",
    "list_agents",
    "list_audit",
    "list_organizations",
    "list_runs",
    "list_waiting",
    "search_texts",
  ]);
});

describe("an operator of one organization and viewer of another", () => {
  test.each(named)("gets the answer for an unknown id from $operationId of a third", async (operation) => {
    const [hidden, missing] = [await callWith(operation, gamma), await callWith(operation, unknown)];
    expect(hidden.status).toBe(404);
    expect(hidden).toEqual(missing);
  });

  test.each(named.filter(({ role }) => role === "viewer"))(
    "may $operationId where it is a viewer",
    async (operation) => {
      expect(await callWith(operation, beta)).toEqual(await callWith(operation, beta, service.operatorToken));
    },
  );

  test.each(named.filter(({ role }) => role === "operator"))(
    "may not $operationId where it is a viewer",
    async (operation) => {
      expect(await callWith(operation, beta)).toMatchObject({ status: 403, code: "forbidden" });
    },
  );

  test.each(named.filter(({ role }) => role === "viewer"))(
    "may $operationId where it is an operator",
    async (operation) => {
      expect(await callWith(operation, acme)).toEqual(await callWith(operation, acme, service.operatorToken));
    },
  );

  test.each(idsInBodies.map((field) => [`${field.operationId}: ${field.path.join(".")}`, field] as const))(
    "gets the answer for an unknown id in a body: %s",
    async (_, { operationId, path, kind }) => {
      const answerTo = async (owned: Owned) => {
        const body = bodyWith(path, owned[kind as keyof Owned], { ...bodies[operationId], ...besides[path.join(".")] });
        return callWith(operations[operationId as keyof typeof operations], acme, token, body);
      };
      const [hidden, missing] = [await answerTo(gamma), await answerTo(unknown)];
      expect(hidden.status).toBe(404);
      expect(hidden.text.replaceAll(gamma[kind as keyof Owned], kind)).toEqual(
        missing.text.replaceAll(unknown[kind as keyof Owned], kind),
      );
    },
  );

  test("does not see the run of a third that a comparison names", async () => {
    const path = `/runs/${acme.run_id}/comparison?other_run_id=${gamma.run_id}`;
    const message = `run "${gamma.run_id}" does not exist`;
    expect(await service.call("GET", path, { token })).toMatchObject({
      status: 404,
      body: { code: "run_not_found", detail: message },
    });
  });

  test("reads the runs of trials in its organizations only", async () => {
    const read = [acme, beta, gamma].map(async ({ trial_id: trialId }) => {
      const run = newRun(ownerOfRuns(trialId));
      await service.platform.runs.create(run, firstMessages(input(1, "first")));
      return (await service.call("GET", `/runs/${run.id}`, { token })).status;
    });
    expect(await Promise.all(read)).toEqual([200, 200, 404]);
  });

  test("sees the runs that wait for answers in its organizations only", async () => {
    const { runs } = service.platform;
    const runIds = await Promise.all(
      [acme, beta, gamma].map(async ({ agent_id: agentId, organization_id: organizationId }) => {
        const run = newRun({ agentId, organizationId });
        await runs.create(run, firstMessages(input(1, "first")));
        const asks = { askedUntil: Date.now() + 60_000, pauses: 1, worked: 0 };
        const call: RunJournalEntry = {
          turn: 1,
          step: 1,
          part: "asked",
          call: 0,
          kind: "question",
          until: asks.askedUntil,
        };
        const set = { status: "running", turn: 1, updatedAt: Date.now(), asks } as const;
        expect(await runs.change({ ...onTurn(run), set, ...numbered(1, { entries: [answered(1, 1), call] }) })).toBe(
          true,
        );
        return run.id;
      }),
    );
    const waiting = async (more = "", by = token) =>
      (await service.call<Schemas["WaitingRunList"]>("GET", `/runs/waiting${more}`, { token: by })).body.data.map(
        ({ run }) => run.id,
      );
    const own = runIds.slice(0, 2);
    expect((await waiting()).toSorted()).toEqual(own.toSorted());
    expect(await waiting(`?agent_id=${beta.agent_id}&kind=question&kind=approval`)).toEqual([runIds[1]]);
    expect(await waiting("?kind=approval")).toEqual([]);
    expect(await waiting("?answerable_by=operators")).toEqual([]);
    expect(await waiting("?answerable_by=me")).toEqual([runIds[0]]);
    expect(await waiting(`?organization_id=${acme.organization_id}`)).toEqual([runIds[0]]);
    expect(await waiting("", service.operatorToken)).toEqual(expect.arrayContaining(runIds));
    const ofAnyone = await waiting("?answerable_by=me", service.operatorToken);
    expect(ofAnyone).toEqual(expect.arrayContaining(runIds));
    expect(await waiting("?answerable_by=me", service.viewerToken)).toEqual([]);
  });

  test.each(named.filter(({ role }) => role === "operator"))(
    "may $operationId where it is an operator",
    async (operation) => {
      const owned = await newOwned(acme.organization_id);
      const { status, code } = await callWith(operation, owned);
      // The webhook is disabled, so that no test message leaves the machine.
      if (operation.operationId.startsWith("test_webhook")) expect([status, code]).toEqual([422, "invalid_argument"]);
      else if (operation.operationId === "retry_run") expect([status, code]).toEqual([409, "run_not_failed"]);
      else if (operation.operationId === "add_cases") expect([status, code]).toEqual([404, "run_not_found"]);
      else if (["create_trial", "import_run"].includes(operation.operationId))
        expect([status, code]).toEqual([422, "invalid_argument"]);
      else if (operation.operationId === "fork_run") expect([status, code]).toEqual([404, "step_not_found"]);
      else if (operation.operationId === "answer_call") expect([status, code]).toEqual([404, "call_not_found"]);
      else expect(status).toBeOneOf([200, 201, 202, 204]);
    },
  );

  test.each(ofService)("may not $operationId", async (operation) => {
    expect(await callWith(operation, acme)).toMatchObject({ status: 403, code: "forbidden" });
  });
});

const list = async (path: string) =>
  (await service.call<{ data: Record<string, string>[] }>("GET", path, { token })).body.data;

describe("lists", () => {
  test("hold what belongs to the organizations of the operator", async () => {
    expect((await list("/organizations")).map(({ name }) => name)).toEqual(["Acme", "Beta"]);
    const agents = await list("/agents");
    const owners = [acme.organization_id, beta.organization_id];
    expect(new Set(agents.map((agent) => agent["organization_id"]))).toEqual(new Set(owners));
    const runs = await list("/runs?limit=100");
    expect(new Set(runs.map((run) => run["organization_id"]))).toEqual(new Set(owners));
    const mine = await service.call("GET", "/runs/counts", { token });
    expect((mine.body["finished"] as number) + (mine.body["waiting_for_input"] as number)).toBe(
      runs.filter(({ status }) => status === "finished").length,
    );
    const active = await list("/agents/activity");
    expect(new Set(active.map(({ agent_id }) => agent_id))).toEqual(new Set(runs.map(({ agent_id }) => agent_id)));
    const usage = await list("/usage");
    expect(new Set(usage.map((day) => day["organization_id"]))).toEqual(new Set(owners));
  });

  test("texts are found in the organizations of the operator only, also where an index has those of others", async () => {
    for (const { run_id } of [acme, beta, gamma]) {
      const started = await service.call("POST", `/runs/${run_id}/input`, { body: { input_text: "a shared needle" } });
      expect(started.status).toBe(202);
    }
    const search = async (as: string) => {
      const { body } = await service.call("GET", "/runs/texts?q=needle", { token: as });
      return (body["data"] as { run: { id: string } }[]).map(({ run }) => run.id).toSorted();
    };
    const runIds = [acme, beta, gamma].map(({ run_id }) => run_id).toSorted();
    expect(await search(service.operatorToken)).toEqual(runIds);
    expect(await search(token)).toEqual(runIds.filter((id) => id !== gamma.run_id));
    const { body } = await service.call("GET", `/runs/texts?q=needle&agent_id=${beta.agent_id}`, { token });
    expect(body).toMatchObject({ data: [{ run: { id: beta.run_id } }], searched_runs: 1, complete: true });
  });

  test.each(["/agents", "/agents/activity", "/runs", "/runs/counts", "/runs/texts?q=needle", "/usage"])(
    "%s does not know a third organization",
    async (path) => {
      const [hidden, missing] = await Promise.all(
        [gamma, unknown].map(async ({ organization_id: id }) => {
          const at = `${path}${path.includes("?") ? "&" : "?"}organization_id=${id}`;
          const { status, body } = await service.call("GET", at, { token });
          return [status, JSON.stringify(body).replaceAll(id, "ID")];
        }),
      );
      expect(hidden).toEqual(missing);
      expect(hidden?.[0]).toBe(404);
    },
  );

  test("the audit has what concerns these organizations, and nothing of others and of the service", async () => {
    const entries = await list("/audit?limit=1000");
    const everything = (await service.call<{ data: Record<string, string>[] }>("GET", "/audit?limit=1000")).body.data;
    const owners = new Set([acme.organization_id, beta.organization_id]);
    const expected = everything.filter((entry) => owners.has(entry["organization_id"] ?? ""));
    expect(entries).toEqual(expected);
    const actions = expected
      .filter((entry) => entry["organization_id"] === beta.organization_id)
      .map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(["org.create", "agent.create", "key.create", "webhook.set", "run.create"]),
    );
    const limited = await list("/audit?limit=2");
    expect(limited).toEqual(expected.slice(0, 2));
  });
});

test("GET /me names the role in each organization", async () => {
  const { body } = await service.call("GET", "/me", { token });
  expect(body).toMatchObject({
    role: null,
    organizations: [
      { id: acme.organization_id, role: "operator" },
      { id: beta.organization_id, role: "viewer" },
    ],
  });
});

test("a viewer of everything can be an operator of one organization", async () => {
  const { token: mixed } = await createOperator(service.platform.accounts, {
    name: "Kim",
    role: "viewer",
    organizations: [{ id: acme.organization_id, role: "operator" }],
  });
  const rename = (owned: Owned) => callWith(operations.update_organization, owned, mixed);
  expect(await rename(acme)).toMatchObject({ status: 200 });
  expect(await rename(gamma)).toMatchObject({ status: 403, code: "forbidden" });
  expect(await callWith(operations.get_organization, gamma, mixed)).toMatchObject({ status: 200 });
  expect(await callWith(operations.list_operators, gamma, mixed)).toMatchObject({ status: 200 });
  expect(await callWith(operations.create_organization, gamma, mixed)).toMatchObject({ status: 403 });
});

test.each([
  [{}, 422, "the operator has no role; send role for all organizations"],
  [{ organizations: [] }, 422, "the operator has no role"],
  [{ organizations: [{ id: unknown.organization_id, role: "viewer" }] }, 404, "does not exist"],
  [{ organizations: ["viewer", "operator"] }, 422, "is named twice"],
])("an operator with %j is refused", async (access, status, detail) => {
  const { organizations = [] } = access as { organizations?: (string | object)[] };
  const roles = organizations.map((each) =>
    typeof each === "string" ? { id: acme.organization_id, role: each } : each,
  );
  const response = await service.call("POST", "/operators", {
    body: { name: "Nobody", ...access, ...(roles.length > 0 && { organizations: roles }) },
  });
  expect(response.status).toBe(status);
  expect(response.body["detail"]).toContain(detail);
});
