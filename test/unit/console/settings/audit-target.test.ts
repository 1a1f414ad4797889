import { expect, test } from "vitest";
import { auditTarget } from "../../../../console/settings/audit-target.ts";
import { auditActions } from "../../../../src/accounts/account-types.ts";

test("every audited action but those of keys, deliveries and suites links to what it was done to", () => {
  const without = auditActions.filter((action) => {
    const entry = {
      at: "2026-11-22T10:00:00.000Z",
      actor: "mira",
      action,
      id: "the-id",
      version: null,
      organization_id: null,
    };
    return auditTarget(entry).url === undefined;
  });
  const ofSuites = auditActions.filter((action) => action.startsWith("suite."));
  expect(without).toEqual(["key.create", "key.enable", "key.disable", "delivery.resend", ...ofSuites]);
});
