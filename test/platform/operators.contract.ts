import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { authenticateOperator, createOperator, listOperators, revokeOperator } from "../../src/accounts/operators.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Accounts, AuditEntry } from "../../src/accounts/account-types.ts";
import { newToken } from "../../src/accounts/token.ts";

/** Contract tests of operators and their tokens. `open` is called once. The store may hold other operators. */
export function describeOperators(open: () => Promise<Accounts>): void {
  describe("operators", () => {
    let accounts: Accounts;
    beforeAll(async () => {
      accounts = await open();
    });
    const auditOf = async (of: string): Promise<AuditEntry[]> =>
      (await accounts.listAudit({ since: 0, limit: 1_000 })).filter(({ id }) => id === of);

    test("a token stands for its operator until it is revoked", async () => {
      const { token, stored: operator } = await createOperator(accounts, { name: "mira", role: "operator" }, "alice");
      const { id, hint, hash } = operator;
      expect(JSON.stringify(operator)).not.toContain(token);
      const principal = { actor: `mira (${hint})`, name: "mira", role: "operator" };
      expect(await authenticateOperator(accounts, token)).toEqual(principal);
      await vi.waitFor(async () =>
        expect(await accounts.findOperator(hash)).toEqual({ ...operator, lastUsedAt: expect.any(Number) }),
      );
      expect(await revokeOperator(accounts, id.toUpperCase(), "bob")).toMatchObject({ id, enabled: false });
      expect(await revokeOperator(accounts, token, "bob")).toMatchObject({ id, enabled: false }); // a no-op
      await expect(authenticateOperator(accounts, token)).rejects.toMatchObject({ code: "key_invalid" });
      expect((await listOperators(accounts)).find((each) => each.id === id)).toMatchObject({ enabled: false });
      const audited = (await auditOf(id)).map(({ actor, action }) => `${actor} ${action}`);
      expect(audited.toSorted()).toEqual(["alice operator.create", "bob operator.revoke"]);
    });

    test("an operator is limited to organizations, whose ids are checked", async () => {
      const { id } = await createOrganization(accounts, { name: "Acme" });
      const organizations = [{ id, role: "operator" }] as const;
      const { token, stored } = await createOperator(accounts, {
        name: "jo",
        organizations: [{ id: ` ${id.toUpperCase()}`, role: "operator" }],
      });
      expect(stored).toMatchObject({ organizations });
      expect(stored).not.toHaveProperty("role");
      const principal = { actor: `jo (${stored.hint})`, name: "jo", organizations };
      expect(await authenticateOperator(accounts, token)).toEqual(principal);
      const unknown = createOperator(accounts, { name: "jo", organizations: [{ id: randomUUID(), role: "viewer" }] });
      await expect(unknown).rejects.toMatchObject({ code: "organization_not_found" });
    });

    test("an operator is revoked by its hint, and an unknown or short text revokes none", async () => {
      const { stored: operator } = await createOperator(accounts, { name: "noor", role: "viewer" });
      const { id, hint } = operator;
      for (const text of [randomUUID(), hint.slice(0, 7), "", newToken("ao").token]) {
        await expect(revokeOperator(accounts, text)).rejects.toMatchObject({ code: "operator_not_found" });
      }
      expect(await accounts.findOperator(operator.hash)).toEqual(operator);
      expect(await revokeOperator(accounts, hint)).toMatchObject({ id, enabled: false });
      expect(await auditOf(id)).toEqual([]); // the service itself
    });
  });
}
