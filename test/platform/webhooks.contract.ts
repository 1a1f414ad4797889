import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Accounts, Agent, AuditEntry, Webhook } from "../../src/accounts/account-types.ts";
import {
  addEndpoint,
  disableUrl,
  findWebhook,
  removeWebhook,
  rotateSecret,
  setWebhook,
  setWebhookEnabled,
  validSecrets,
} from "../../src/accounts/webhooks.ts";

const url = "https://example.com/hooks?token=of-the-url";
const hour = 3_600_000;

/** Contract tests of the webhooks of agents. `open` is called once. */
export function describeWebhooks(open: () => Promise<Accounts>): void {
  describe("webhooks", () => {
    let accounts: Accounts;
    beforeAll(async () => {
      accounts = await open();
    });
    const newAgent = async (): Promise<Agent> => {
      const organization = await createOrganization(accounts, { name: "O" });
      const limits = { steps: 1, tokens: 1, seconds: 1 };
      return createAgent(accounts, organization.id, { name: "A", instructions: "", tools: [], limits });
    };
    const auditOf = async (of: string): Promise<AuditEntry[]> =>
      (await accounts.listAudit({ since: 0, limit: 1_000 })).filter(({ id }) => id === of);

    test("an endpoint has secrets, a filter and a state of its own, and is changed apart from the others", async () => {
      const { id } = await newAgent();
      const settings = { url: "https://example.com/b", types: ["run.failed" as const], privateAddresses: false };
      const added = await addEndpoint(accounts, id, settings);
      const { endpointId, secret } = added;
      const first = await setWebhook(accounts, id, { url, privateAddresses: false });
      const stored = await accounts.findWebhook(id);
      expect(stored).toMatchObject({ url, secrets: [{ value: first.secret }] });
      expect(stored?.endpoints).toMatchObject([{ id: endpointId, ...settings, secrets: [{ value: secret }] }]);
      const view = await accounts.findWebhookView(id);
      expect(JSON.stringify(view)).not.toContain("whsec_");
      expect(view?.endpoints).toMatchObject([{ id: endpointId, url: settings.url, types: settings.types }]);
      const state = await accounts.findWebhookState(id);
      expect(state?.endpoints).toEqual([{ id: endpointId, enabled: true, types: ["run.failed"] }]);
      expect(JSON.stringify(state)).not.toMatch(/whsec_|example\.com/);

      const rotated = await rotateSecret(accounts, id, { endpointId, hours: 0 });
      await setWebhookEnabled(accounts, id, false, undefined, endpointId);
      const changed = await accounts.findWebhook(id);
      expect(changed).toMatchObject({ enabled: true, secrets: [{ value: first.secret }] });
      expect(changed?.endpoints).toMatchObject([{ enabled: false, secrets: [{ value: rotated.secret }] }]);
      await disableUrl(accounts, changed!, { url: settings.url }, "gone"); // the first endpoint has another URL
      expect(await accounts.findWebhook(id)).toEqual(changed);

      await removeWebhook(accounts, id);
      expect((await accounts.findWebhook(id))?.endpoints).toEqual(changed?.endpoints);
      await expect(findWebhook(accounts, id)).rejects.toMatchObject({ code: "webhook_not_found" });
      await removeWebhook(accounts, id, undefined, endpointId);
      expect(await accounts.findWebhook(id)).not.toHaveProperty("endpoints");
      const again = removeWebhook(accounts, id, undefined, endpointId);
      await expect(again).rejects.toMatchObject({ code: "webhook_not_found" });
    });

    test("what an endpoint cannot have is refused with what is accepted", async () => {
      const { id } = await newAgent();
      const rejects = async (settings: Partial<Parameters<typeof addEndpoint>[2]>, reason: string): Promise<void> => {
        const added = addEndpoint(accounts, id, { url, privateAddresses: false, ...settings });
        await expect(added).rejects.toMatchObject({
          code: "invalid_argument",
          message: expect.stringContaining(reason),
        });
      };
      await rejects({ url: undefined }, "has no URL");
      await rejects({ types: [] }, "the list of event types is empty");
      await rejects({ types: ["run.started" as "run.failed"] }, 'the event type "run.started" does not exist');
      await rejects({ types: ["run.failed", "run.failed"] }, "listed twice");
      for (let count = 0; count < 10; count++) await addEndpoint(accounts, id, { url, privateAddresses: false });
      await rejects({}, "at most 10 are accepted");
    });

    test("the secret of a new webhook is returned once, and later settings keep it", async () => {
      const { id, organizationId } = await newAgent();
      const { webhook, secret } = await setWebhook(
        accounts,
        id.toUpperCase(),
        { url, privateAddresses: false },
        "mira",
      );
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(webhook).toMatchObject({ agentId: id, organizationId, url, enabled: true, secrets: [{ value: secret }] });
      const { webhook: changed, secret: second } = await setWebhook(accounts, id, { privateAddresses: true }, "mira");
      expect(second).toBeUndefined();
      expect(changed).toMatchObject({ secrets: webhook.secrets, privateAddresses: true, createdAt: webhook.createdAt });
      expect(changed.url).toBeUndefined();
      expect(await accounts.findWebhook(id)).toEqual(changed);
      const view = await findWebhook(accounts, id);
      expect(view).toEqual({ ...changed, secrets: [{ createdAt: changed.secrets[0]?.createdAt }] });
      expect((await auditOf(id)).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
        "mira webhook.set",
        "mira webhook.set",
      ]);
    });

    test("one of several concurrent settings creates the secret", async () => {
      const { id } = await newAgent();
      const settings = { url, privateAddresses: false };
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => setWebhook(accounts, id, settings)));
      const shown = outcomes.flatMap(({ secret }) => secret ?? []);
      expect(shown).toHaveLength(1);
      expect((await accounts.findWebhook(id))?.secrets.map(({ value }) => value)).toEqual(shown);
    });

    test("a rotated secret is valid for a day, for the hours given, or not any more", async () => {
      const { id } = await newAgent();
      const { secret: first } = await setWebhook(accounts, id, { url, privateAddresses: false });
      const { webhook, secret: second } = await rotateSecret(accounts, id, { actor: "mira" });
      const { createdAt: now = 0 } = webhook.secrets[0] ?? {};
      const valid = (of: Webhook, hours: number): string[] =>
        validSecrets(of, now + hours * hour).map(({ value }) => value);
      expect([valid(webhook, 0), valid(webhook, 23.9), valid(webhook, 24)]).toEqual([
        [second, first],
        [second, first],
        [second],
      ]);
      const { webhook: again, secret: third } = await rotateSecret(accounts, id, { hours: 1 });
      expect(valid(again, 0.9)).toEqual([third, second, first]);
      expect(valid(again, 1.1)).toEqual([third]);
      const { webhook: last, secret: fourth } = await rotateSecret(accounts, id, { hours: 0 });
      expect(last.secrets).toEqual([{ value: fourth, createdAt: expect.any(Number) }]);
      expect(await accounts.findWebhook(id)).toEqual(last);
      for (const hours of [-1, 169, Number.NaN]) {
        await expect(rotateSecret(accounts, id, { hours })).rejects.toMatchObject({ code: "invalid_argument" });
      }
      expect((await auditOf(id)).map(({ action }) => action)).toEqual(["webhook.rotate-secret"]);
    });

    test("of more than five secrets, the oldest end at once", async () => {
      const { id } = await newAgent();
      const { secret } = await setWebhook(accounts, id, { url, privateAddresses: false });
      const issued = [secret];
      for (let rotation = 1; rotation <= 6; rotation++) issued.unshift((await rotateSecret(accounts, id)).secret);
      expect((await accounts.findWebhook(id))?.secrets.map(({ value }) => value)).toEqual(issued.slice(0, 5));
    });

    test("a webhook is disabled, enabled and removed", async () => {
      const { id } = await newAgent();
      await setWebhook(accounts, id, { url, privateAddresses: false }, "mira");
      expect(await setWebhookEnabled(accounts, id, false, "mira")).toMatchObject({ enabled: false, revision: 2 });
      expect(await setWebhookEnabled(accounts, id, false, "mira")).toMatchObject({ enabled: false, revision: 2 });
      expect(await setWebhookEnabled(accounts, id, true, "mira")).toMatchObject({ enabled: true, revision: 3 });
      await removeWebhook(accounts, id, "mira");
      expect(await accounts.findWebhook(id)).toMatchObject({ secrets: [], enabled: false, revision: 4 });
      expect(JSON.stringify(await accounts.findWebhook(id))).not.toContain("example.com");
      for (const use of [findWebhook, removeWebhook, rotateSecret]) {
        await expect(use(accounts, id)).rejects.toMatchObject({ code: "webhook_not_found" });
      }
      await expect(setWebhookEnabled(accounts, id, true)).rejects.toMatchObject({ code: "webhook_not_found" });
      const { secret } = await setWebhook(accounts, id, { privateAddresses: false });
      expect(secret).toBeDefined();
      const audited = (await auditOf(id)).map(({ action }) => action.slice("webhook.".length)).toSorted();
      expect(audited).toEqual(["disable", "enable", "remove", "set"]);
    });

    test("an answer of the receiver disables the URL that it came from, with the reason, until it is enabled", async () => {
      const { id } = await newAgent();
      const { webhook } = await setWebhook(accounts, id, { url, privateAddresses: false });
      await disableUrl(accounts, webhook, { url: "https://example.com/before" }, "gone");
      expect(await accounts.findWebhook(id)).toEqual(webhook);
      await disableUrl(accounts, webhook, { url }, "gone");
      const disabled = { enabled: false, disabled: { at: expect.any(Number), reason: "gone" } };
      expect(await findWebhook(accounts, id)).toMatchObject(disabled);
      expect(await setWebhookEnabled(accounts, id, true)).not.toHaveProperty("disabled");
    });

    test("an audit entry contains neither secret nor URL", async () => {
      const { id } = await newAgent();
      const { secret = "" } = await setWebhook(accounts, id, { url, privateAddresses: false }, "mira");
      const { secret: rotated } = await rotateSecret(accounts, id, { actor: "mira" });
      const audited = JSON.stringify(await auditOf(id));
      expect(audited).toContain("webhook.rotate-secret");
      for (const text of [secret, rotated, "example.com"]) expect(audited).not.toContain(text);
    });

    test("a URL that cannot be called is rejected with the reason, and a deleted agent gets no webhook", async () => {
      const { id } = await newAgent();
      const wrong: [string, boolean, string][] = [
        ["example.com/hooks", true, "not a valid URL"],
        ["https:///example.com", true, "not a valid URL"],
        ["https:example.com", true, "not a valid URL"],
        ["ftp://example.com", true, "begins with ftp:"],
        ["http://example.com", false, "http: is accepted only for"],
        [
          "https://10.1.2.3/",
          false,
          "leads to 10.1.2.3, which is not an address of the public internet; an operator allows",
        ],
        ["http://127.0.0.1:8799/", true, "npm start -- --allow-address 127.0.0.1"],
        ["http://hooks.localhost/", true, "leads to 127.0.0.1"],
        ["http://2130706433/", true, "leads to 127.0.0.1"],
        ["http://[::ffff:127.0.0.1]/", true, "leads to ::ffff:7f00:1"],
        [
          "http://169.254.169.254/latest/meta-data/",
          true,
          "not an address of the public internet or a private network",
        ],
        ["http://100.100.100.200/latest/meta-data/", true, "leads to 100.100.100.200"],
        ["http://[fd00:ec2::254]/", true, "leads to fd00:ec2::254"],
        ["https://168.63.129.16/", true, "leads to 168.63.129.16"],
        ["https://mira:pass@example.com", false, "a user name or password"],
        [`https://example.com/${"x".repeat(2_048)}`, false, "2068 characters"],
      ];
      for (const [given, privateAddresses, reason] of wrong) {
        const rejected = setWebhook(accounts, id, { url: given, privateAddresses });
        await expect(rejected).rejects.toMatchObject({
          code: "invalid_argument",
          message: expect.stringContaining(reason),
        });
      }
      expect(await accounts.findWebhook(id)).toBeUndefined();
      await setAgentStatus(accounts, id, "deleted");
      const rejected = setWebhook(accounts, id, { url, privateAddresses: false });
      await expect(rejected).rejects.toMatchObject({ code: "agent_deleted" });
      await expect(setWebhook(accounts, "x", { privateAddresses: false })).rejects.toMatchObject({
        code: "agent_not_found",
      });
    });
  });
}
