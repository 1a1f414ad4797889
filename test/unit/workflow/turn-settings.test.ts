import { describe, expect, test } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import { setMcpToolPolicy } from "../../../src/accounts/agents/mcp-tool-policy.ts";
import { setWebFetchHosts } from "../../../src/accounts/agents/web-fetch-hosts.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import type { Failure, Model, ModelConfiguration, ModelRequest } from "../../../src/agent/model.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import type { Configurations, Stores } from "../../../src/runs/ports.ts";
import { decodeConfiguration } from "../../../src/runs/turn-configuration.ts";
import type { RunJournalEntry } from "../../../src/runs/run-types.ts";
import { advance, type AdvanceDeps } from "../../../src/workflow/advance.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { scriptedModel } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const definition: AgentDefinition = {
  name: "Agent",
  instructions: "First instructions.",
  tools: ["list_files", "read_file", "write_file"],
  limits: { steps: 100, tokens: 1e9, seconds: 1e9 },
  parameters: { temperature: 0 },
};
const changed: AgentDefinition = {
  ...definition,
  instructions: "Second instructions.",
  tools: ["write_file"],
  parameters: { temperature: 1 },
};
const firstModel = { provider: "openai-compatible", baseUrl: "http://first/v1", model: "m", enabled: true } as const;
const secondModel = { ...firstModel, baseUrl: "http://second/v1" };

const workflow = { start: async () => {}, stop: async () => {} };

const busy: Failure = { category: "model_unavailable", title: "busy", remedy: "", retryable: true };

/** What a model call received, in short. */
interface Call {
  instructions: string;
  tools: string[];
  temperature: number | undefined;
  baseUrl: string | undefined;
}
const first: Call = {
  instructions: "First instructions.",
  tools: definition.tools,
  temperature: 0,
  baseUrl: firstModel.baseUrl,
};
const second: Call = {
  instructions: "Second instructions.",
  tools: changed.tools,
  temperature: 1,
  baseUrl: secondModel.baseUrl,
};

interface Harness {
  stores: Stores;
  /** The stores as another process sees them. */
  reopened: () => Stores;
}

const platforms: [string, () => Harness & Partial<Disposable>][] = [
  [
    "local",
    () => {
      const stores = temporaryStores();
      return { stores, reopened: () => stores, [Symbol.dispose]: () => stores[Symbol.dispose]() };
    },
  ],
  [
    "AWS",
    () => {
      const stores = fakeAwsStores();
      return { stores, reopened: () => ({ ...stores, configurations: stores.inAnotherProcess().configurations }) };
    },
  ],
];

/** Drives a run of an agent whose turns have three steps. The invocation is aborted in the model call `crashAt`. */
async function scenario({ stores, reopened }: Harness) {
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  await setModel(stores.accounts, organizationId, firstModel);
  const agent = await createAgent(stores.accounts, organizationId, definition);
  const create = { ...stores, workflow, now: Date.now, secretRefusal: () => undefined };
  const input = { name: "Run", text: "first" };
  const { id: runId } = await createRun(create, { agentId: agent.id, organizationId }, input);
  const calls: Call[] = [];
  const { model } = scriptedModel(3);

  interface Invocation {
    crashAt?: number;
    /** The provider asks to wait for an hour. */
    failing?: boolean;
    with?: Partial<Stores>;
  }
  async function invoke({ crashAt = Infinity, failing = false, with: more = {} }: Invocation = {}) {
    const crash = new AbortController();
    let call = 0;
    const recordCall = (request: ModelRequest, baseUrl: string | undefined): ReturnType<Model> => {
      calls.push({
        instructions: request.instructions,
        tools: request.tools.map(({ name }) => name),
        temperature: request.parameters?.temperature,
        baseUrl,
      });
      if (failing) return Promise.resolve({ failure: busy, retryAfterMs: 3_600_000 });
      if (++call < crashAt) return model(request);
      crash.abort();
      return Promise.reject(crash.signal.reason as Error);
    };
    const deps: AdvanceDeps = {
      ...reopened(),
      ...more,
      now: Date.now,
      secretOf: async () => undefined,
      openModel: async (configuration: ModelConfiguration | undefined) => ({
        model: (request) =>
          recordCall(request, configuration && "baseUrl" in configuration ? configuration.baseUrl : undefined),
        name: "m",
        provider: "p",
      }),
    };
    const budget = { signal: crash.signal, deadline: Infinity, leaseWait: 0 };
    return advance(deps, { runId, turn: 1 }, budget);
  }

  async function change(): Promise<void> {
    await updateAgent(stores.accounts, agent.id, changed);
    await setModel(stores.accounts, organizationId, secondModel);
  }

  const journal = async (turn: number): Promise<RunJournalEntry[]> =>
    (await journalOf(stores, runId)).filter((entry) => entry.turn === turn);
  return { agent, runId, calls, invoke, change, journal };
}

/** A run of an agent with this definition. `invoke` aborts after so many answers of the model. */
async function runOf({ stores, reopened }: Harness, organizationId: string, of: AgentDefinition) {
  const { id: agentId } = await createAgent(stores.accounts, organizationId, of);
  const create = { ...stores, workflow, now: Date.now, secretRefusal: () => undefined };
  const { id: runId } = await createRun(create, { agentId, organizationId }, { name: "Run", text: "go" });
  const requests: ModelRequest[] = [];
  function invoke(steps: number) {
    const crash = new AbortController();
    const { model } = scriptedModel(2);
    const asked: Model = (request) => {
      requests.push(request);
      if (--steps >= 0) return model(request);
      crash.abort();
      return Promise.reject(crash.signal.reason as Error);
    };
    const openModel = async () => ({ model: asked, name: "m", provider: "p" });
    const deps: AdvanceDeps = { ...reopened(), now: Date.now, secretOf: async () => undefined, openModel };
    return advance(deps, { runId, turn: 1 }, { signal: crash.signal, deadline: Infinity, leaseWait: 0 });
  }
  /** The configuration of the turn, of which there is one. */
  async function recorded() {
    const hashes = (await journalOf(stores, runId)).flatMap(({ configuration }) => configuration ?? []);
    expect(new Set(hashes).size).toBe(1);
    return decodeConfiguration((await stores.configurations.get(agentId, hashes[0] ?? "")) ?? "");
  }
  return { requests, invoke, recorded };
}

describe.each(platforms)("on %s", (_, open) => {
  test("a turn keeps the hosts of its organization, unless its agent names hosts", async () => {
    using harness = disposable(open());
    const { accounts } = harness.stores;
    const { id: organizationId } = await createOrganization(accounts, { name: "O" });
    await setModel(accounts, organizationId, firstModel);
    await setWebFetchHosts(accounts, organizationId, ["first.example"]);
    const agent = { ...definition, tools: ["web_fetch"], webFetch: { privateAddresses: true } };
    const run = await runOf(harness, organizationId, agent);
    const own = await runOf(harness, organizationId, { ...agent, webFetch: { hosts: ["own.example"] } });
    await run.invoke(1);
    await setWebFetchHosts(accounts, organizationId, ["second.example"]);
    await run.invoke(9);
    const hosts = /Only these hosts can be reached: (.*)\.$/;
    const seen = ({ requests }: typeof run) =>
      new Set(requests.map(({ tools }) => hosts.exec(tools[0]?.description ?? "")?.[1] ?? "all"));
    expect([...seen(run)]).toEqual(["first.example"]);
    expect((await run.recorded()).agent.webFetch).toEqual({ privateAddresses: true, hosts: ["first.example"] });
    await own.invoke(9);
    expect([...seen(own)]).toEqual(["own.example"]);
  });

  test("a turn keeps the organization's rule for tools of MCP servers, which is recorded", async () => {
    using harness = disposable(open());
    const { accounts } = harness.stores;
    const { id: organizationId } = await createOrganization(accounts, { name: "O" });
    await setModel(accounts, organizationId, firstModel);
    const recordedFor = async (of: AgentDefinition): Promise<unknown> => {
      await setMcpToolPolicy(accounts, organizationId, "ask");
      const run = await runOf(harness, organizationId, of);
      await run.invoke(1);
      await setMcpToolPolicy(accounts, organizationId, "allow");
      expect(await run.invoke(9)).toEqual({ done: true, turn: 1 });
      return (await run.recorded()).mcpToolPolicy;
    };
    const mcp = [{ name: "shop", url: "http://127.0.0.1:9/mcp" }];
    expect(await recordedFor({ ...definition, mcp })).toBe("ask");
    expect(await recordedFor(definition)).toBeUndefined(); // it has no such tools
  });

  test("a turn that is interrupted keeps what it began with, although agent and model change", async () => {
    using harness = disposable(open());
    const { calls, invoke, change, runId, journal } = await scenario(harness);
    await invoke({ crashAt: 3 });
    expect(calls).toEqual([first, first, first]);
    await change();
    expect(await invoke()).toEqual({ done: true, turn: 1 });
    expect(calls).toEqual(Array.from({ length: 5 }, () => first)); // the interrupted call is repeated
    await acceptInput({ ...harness.stores, workflow, now: Date.now }, runId, "second");
    await invoke();
    expect(calls.slice(5)).toEqual(Array.from({ length: 4 }, () => second));
    expect((await journal(1))[0]).toMatchObject({ agentVersion: 1 });
    expect((await journal(2))[0]).toMatchObject({ agentVersion: 2 });
  });

  test("the turn of a queued input runs on what is current when it starts", async () => {
    using harness = disposable(open());
    const { calls, invoke, change, runId, journal } = await scenario(harness);
    await invoke({ crashAt: 2 });
    await acceptInput({ ...harness.stores, workflow, now: Date.now }, runId, "second");
    await change();
    expect(await invoke()).toEqual({ done: false, turn: 2 });
    expect(calls).toEqual(Array.from({ length: 5 }, () => first));
    await invoke();
    expect(calls.slice(5)).toEqual(Array.from({ length: 4 }, () => second));
    expect((await journal(2))[0]).toMatchObject({ agentVersion: 2 });
  });

  test("a turn runs on the agent's version that it began with from its first call on", async () => {
    using harness = disposable(open());
    const { calls, invoke, change } = await scenario(harness);
    await invoke({ crashAt: 1 });
    await change();
    await invoke();
    const { instructions, tools, temperature } = first;
    expect(calls.slice(1)).toEqual(
      Array.from({ length: 4 }, () => ({ instructions, tools, temperature, baseUrl: secondModel.baseUrl })),
    );
  });

  test("a turn whose model has not answered yet takes a new model of the organization", async () => {
    using harness = disposable(open());
    const { calls, invoke, change, journal } = await scenario(harness);
    await expect(invoke({ failing: true })).rejects.toThrow("busy");
    expect((await journal(1)).map(({ part, configuration }) => [part, configuration])).toEqual([["failed", undefined]]);
    await change();
    await invoke();
    expect(calls.slice(1).map(({ instructions, baseUrl }) => [instructions, baseUrl])).toEqual(
      Array.from({ length: 4 }, () => [first.instructions, secondModel.baseUrl]),
    );
  });

  test("the first entry of each turn has the hash of the stored configuration, which is stored once", async () => {
    using harness = disposable(open());
    const { agent, runId, invoke, journal } = await scenario(harness);
    const puts: string[] = [];
    const configurations: Configurations = {
      ...harness.stores.configurations,
      async put(agentId, configuration) {
        puts.push(configuration.hash);
        await harness.stores.configurations.put(agentId, configuration);
      },
    };
    await invoke({ with: { configurations } });
    const entries = await journal(1);
    const hash = entries[0]?.configuration ?? "";
    expect(entries.filter(({ configuration }) => configuration !== undefined)).toEqual([entries[0]]);
    expect(puts).toEqual([hash]);
    const stored = decodeConfiguration((await harness.reopened().configurations.get(agent.id, hash)) ?? "");
    expect(stored).toMatchObject({ agent: definition, provider: firstModel });
    expect(stored.offered.map(({ name }) => name)).toEqual([...definition.tools, "read_result"]);
    expect((await harness.stores.runs.read(runId))?.run.status).toBe("finished");
  });

  test("no entry is recorded before its configuration is stored; an outage of the store is bridged", async () => {
    using harness = disposable(open());
    const { agent, invoke, journal } = await scenario(harness);
    let attempts = 0;
    const configurations: Configurations = {
      ...harness.stores.configurations,
      async put(...args) {
        expect(await journal(1)).toEqual([]);
        if (++attempts <= 2) throw new StoreUnavailable("away");
        await harness.stores.configurations.put(...args);
      },
    };
    expect(await invoke({ with: { configurations } })).toEqual({ done: true, turn: 1 });
    expect(attempts).toBe(3);
    const [entry] = await journal(1);
    expect(await harness.reopened().configurations.get(agent.id, entry?.configuration ?? "")).toBeDefined();
  });

  test("a turn of an earlier release continues on the current agent and then keeps it", async () => {
    using harness = disposable(open());
    const { calls, invoke, change, runId, journal } = await scenario(harness);
    const toolCalls = [{ id: "w1", name: "write_file", input: { name: "1.txt", content: "first" } }];
    const answer = {
      text: "",
      toolCalls,
      finishReason: "tool-calls" as const,
      usage: { inputTokens: 10, outputTokens: 1 },
    };
    const old = { turn: 1, step: 1, part: "answer" as const, answer, sequence: 2, at: Date.now() };
    const used = { ...noUsage, steps: 1 };
    await harness.stores.runs.change({ runId, expect: { status: "running", turn: 1 }, entries: [old], used });
    await invoke({ crashAt: 2 });
    await change();
    await invoke();
    expect(calls.length).toBeGreaterThan(2);
    expect(new Set(calls.map(({ instructions }) => instructions))).toEqual(new Set([first.instructions]));
    const entries = await journal(1);
    expect(entries[0]).not.toHaveProperty("configuration");
    expect(entries.filter(({ configuration }) => configuration !== undefined)).toHaveLength(1);
  });

  test("a turn whose configuration is lost fails with a remedy", async () => {
    using harness = disposable(open());
    const { runId, invoke } = await scenario(harness);
    await invoke({ crashAt: 2 });
    const configurations = { ...harness.stores.configurations, get: async () => undefined };
    await invoke({ with: { configurations } });
    expect((await harness.stores.runs.read(runId))?.run).toMatchObject({
      status: "technical_error",
      failure: { title: "The configuration that the turn began with is missing from the store." },
    });
  });
});

function disposable<Value extends object>(value: Value & Partial<Disposable>): Value & Disposable {
  return Object.assign(value, { [Symbol.dispose]: value[Symbol.dispose] ?? (() => {}) });
}
