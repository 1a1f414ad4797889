import { afterAll, expect, test } from "vitest";
import type { Accounts, Along, AuditEntry } from "../../src/accounts/account-types.ts";
import { trialStatuses } from "../../src/trials/names.ts";
import type { Trials } from "../../src/trials/ports.ts";
import type { Trial } from "../../src/trials/trial-types.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import fc from "../support/properties.ts";
import { temporaryStores } from "../support/temporary-stores.ts";
import { newCase, newTrial } from "./trials.contract.ts";

const local = temporaryStores();
afterAll(() => local[Symbol.dispose]());

interface Stores {
  accounts: Accounts;
  trials: Trials;
}

/** What an operation is called with. `ids`: of this case alone. `at`: later than the operations before. */
interface Given {
  id: string;
  other: string;
  text: string;
  /** Of the record that is replaced. Absent: that of the stored one. */
  revision: number | undefined;
  count: number;
  at: number;
  along: Along | undefined;
}

type Operation = (stores: Stores, given: Given) => Promise<unknown>;

const definition = (text: string) => ({
  name: text,
  instructions: text,
  tools: [],
  limits: { steps: 1, tokens: 1, seconds: 1 },
  result: { schema: { zebra: text, apple: null } },
});

const revised = <T extends object>(record: T, { revision }: Given): T =>
  revision === undefined ? record : { ...record, revision };

const organization = ({ id, text }: Given) => ({ id, name: text });
const agent = ({ id, other, text, at }: Given) => ({
  ...definition(text),
  id,
  organizationId: other,
  status: "active" as const,
  createdAt: at,
});
const apiKey = ({ id, other, text, count, at }: Given) => ({
  hash: id,
  hint: text,
  agentId: other,
  ...(count > 0 && { moreAgents: [`${other}+`] }),
  organizationId: text,
  enabled: true,
  createdAt: at - count * 7,
});
const operator = ({ id, text, at, count }: Given) => ({
  id,
  hash: id,
  hint: text,
  name: text,
  enabled: true,
  createdAt: at - count * 7,
});
const webhook = ({ id, text, count }: Given) => ({
  agentId: id,
  organizationId: text,
  enabled: count > 0,
  privateAddresses: false,
  secrets: Array.from({ length: count }, (_, index) => ({ value: `${text} ${index}`, createdAt: index })),
  createdAt: 1,
  updatedAt: count,
  ...(count === 2 && {
    endpoints: [{ id: "e", url: text, enabled: true, privateAddresses: true, secrets: [], createdAt: 1, updatedAt: 2 }],
  }),
});
const trialOf = ({ id, other, at, text, count }: Given) =>
  newTrial({ id, agentId: other, organizationId: text, createdAt: at - count * 7, cases: count });

const operations: Record<string, Operation> = {
  createOrganization: ({ accounts }, given) => accounts.createOrganization(organization(given), given.along),
  replaceOrganization: async ({ accounts }, given) => {
    const found = (await accounts.findOrganization(given.id)) ?? organization(given);
    return accounts.replaceOrganization(revised({ ...found, name: given.text }, given), given.along);
  },
  createAgent: ({ accounts }, given) => accounts.createAgent(agent(given), given.along),
  replaceAgent: async ({ accounts }, given) => {
    const { id, text, at, along } = given;
    const found = await accounts.findAgent(id);
    const number = (found?.version ?? 0) + 1;
    const version = {
      agentId: id,
      version: number,
      createdAt: at,
      hash: text,
      definition: definition(text),
      ...(given.count > 0 && { trialId: text }),
    };
    const moved = { organizationId: given.other, version: number };
    const next = { ...(found ?? agent(given)), ...definition(text), ...moved };
    return accounts.replaceAgent(revised(next, given), { ...along, version });
  },
  createKey: ({ accounts }, given) => accounts.createKey(apiKey(given), given.along),
  replaceKey: async ({ accounts }, given) => {
    const found = (await accounts.findKey(given.id)) ?? apiKey(given);
    return accounts.replaceKey(revised({ ...found, enabled: given.count > 0 }, given), given.along);
  },
  touchKey: ({ accounts }, { id, at, count }) => accounts.touchKey(id, at, at - count * 10),
  createOperator: ({ accounts }, given) => accounts.createOperator(operator(given), given.along),
  replaceOperator: async ({ accounts }, given) => {
    const found = (await accounts.findOperator(given.id)) ?? operator(given);
    return accounts.replaceOperator(revised({ ...found, name: given.text }, given), given.along);
  },
  touchOperator: ({ accounts }, { id, at, count }) => accounts.touchOperator(id, at, at - count * 10),
  replaceWebhook: async ({ accounts }, given) => {
    const { revision } = (await accounts.findWebhook(given.id)) ?? {};
    const record = { ...webhook(given), ...(revision !== undefined && { revision }) };
    return accounts.replaceWebhook(revised(record, given), given.along);
  },
  // On AWS, a trial of over 50 cases is written in parts: its id must be new.
  createTrial: async ({ trials }, given) => {
    const length = (await trials.find(given.id)) ? 0 : [0, 2, 60][given.count];
    const cases = Array.from({ length: length ?? 0 }, (_, index) => newCase(given.id, index + 1));
    return trials.create(trialOf(given), cases, given.along);
  },
  replaceTrial: async ({ trials }, given) => {
    const found = (await trials.find(given.id)) ?? trialOf(given);
    const status = trialStatuses[given.count] ?? "running";
    return trials.replace({ ...found, status, revision: (given.revision ?? found.revision) + 1 }, given.along);
  },
  claim: async ({ trials }, given) => {
    const found = (await trials.find(given.id)) ?? trialOf(given);
    const cases = (await trials.listCases(given.id)).slice(0, given.count + 1);
    const claimed = cases.map((one) => Object.assign(one, { cannotBeTried: given.text, revision: one.revision + 1 }));
    const last = claimed.at(-1);
    if (last && given.revision !== undefined) last.revision = given.revision;
    return trials.claim({ ...found, status: "running", revision: found.revision + 1 }, claimed);
  },
  replaceCase: async ({ trials }, given) => {
    const found = (await trials.findCase(given.id, given.count)) ?? newCase(given.id, given.count);
    return trials.replaceCase({ ...found, revision: (given.revision ?? found.revision) + 1 }, given.along);
  },
  removeTrial: ({ trials }, { id, along }) => trials.remove(id, along),
};

/** Everything that a case has stored, and all of its lists. */
async function stateOf({ accounts, trials }: Stores, ids: string[], since: number): Promise<object> {
  const own = <T extends { id: string }>(records: T[]): T[] => records.filter(({ id }) => ids.includes(id));
  const ofEach = ids.map(async (id) => ({
    organization: await accounts.findOrganization(id),
    agent: await accounts.findAgent(id),
    version: await accounts.findAgentVersion(id, 1),
    versions: await accounts.listAgentVersions(id, 3),
    agents: await accounts.listAgents(id),
    key: await accounts.findKey(id),
    keys: [oldestFirst(await accounts.listKeys(id)), oldestFirst(await accounts.listKeys(`${id}+`))],
    webhook: await accounts.findWebhook(id),
    webhookParts: [await accounts.findWebhookView(id), await accounts.findWebhookState(id)],
    cases: JSON.stringify(await trials.listCases(id)),
    trial: JSON.stringify(await trials.find(id)),
    trials: oldestFirst((await pagesOf(trials, id)).toReversed()),
  }));
  const period = { since: since + 1, until: since + 1_000, limit: 30 };
  return {
    each: await Promise.all(ofEach),
    organizations: own(await accounts.listOrganizations()),
    agents: own(await accounts.listAgents()).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    operators: own(oldestFirst(await accounts.listOperators())),
    active: (await trials.listActive()).filter((id) => ids.includes(id)),
    casesOf: (await trials.listCasesOf("run of 2")).filter(({ trialId }) => ids.includes(trialId)),
    audit: [await accounts.listAudit(period), await accounts.listAudit({ ...period, organizations: ids })],
  };
}

function oldestFirst<T extends { createdAt: number }>(records: T[]): T[] {
  expect(records).toEqual(records.toSorted((a, b) => a.createdAt - b.createdAt));
  return records;
}

async function pagesOf(trials: Trials, agentId: string): Promise<Trial[]> {
  const pages = [await trials.list({ agentId, limit: 1 })];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
    pages.push(await trials.list({ agentId, limit: 1, after: next }));
  return pages.flatMap((page) => page.trials); // DynamoDB can have an empty page at the end
}

const operation = fc.record({
  name: fc.constantFrom(...Object.keys(operations)),
  id: fc.nat(1),
  other: fc.nat(1),
  text: fc.constantFrom("a", "ä \u2028 日本 🤖", "\u0000", "long"),
  revision: fc.option(fc.nat(2), { nil: undefined, freq: 4 }),
  count: fc.nat(2),
  audited: fc.boolean(),
});

let cases = 0;

// `AGENT_RUNS_TEST_SEED` chooses other operations. A failure prints its seed and its operations.
test("both platforms come to the same records and lists, whatever is written", async () => {
  const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (chosen) => {
    const number = ++cases;
    const ids = ["0", "1"].map((id) => `${number}-${id}`);
    const since = number * 1_000_000;
    const aws = fakeAwsStores();
    for (const [index, { name, id, other, audited, ...rest }] of chosen.entries()) {
      const at = since + index + 1;
      const entry: AuditEntry = { at, actor: "mira", action: "run.create", id: name, organizationId: ids[other]! };
      const text = rest.text.replace("long", "x".repeat(70_000));
      const given = {
        ...rest,
        text,
        id: ids[id]!,
        other: ids[other]!,
        at,
        along: audited ? { audit: entry } : undefined,
      };
      const [here, there] = await Promise.all(
        [local, aws].map(async (stores) => operations[name]?.(stores, { ...given }).catch(String)),
      );
      expect({ name, came: there }).toEqual({ name, came: here });
    }
    const [here, there] = await Promise.all([local, aws].map((stores) => stateOf(stores, ids, since)));
    expect(there).toEqual(here);
  });
  await fc.assert(property, { numRuns: 30, endOnFailure: true });
});
