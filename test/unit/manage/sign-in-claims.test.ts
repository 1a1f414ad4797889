import { expect, test } from "vitest";
import { accessOf, actorOf, claimsOf } from "../../../src/manage/sign-in/claims.ts";

const header = (payload: unknown): string =>
  `Bearer e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.c2ln`;

test("claims are read from the token that the authorizer has checked", () => {
  expect(claimsOf(header({ sub: "1", groups: ["a b"] }))).toEqual({ sub: "1", groups: ["a b"] });
});

test.each([undefined, "", "Bearer", "Bearer ao_1234", "Basic e30.e30.e30", `${header({})},${header({})}`, header(1)])(
  "%j has no claims",
  (authorization) => {
    expect(claimsOf(authorization)).toBeUndefined();
  },
);

const groups = { claim: "groups", operators: ["platform", "on-call"], viewers: ["staff"] };

test.each([
  [{ groups: ["staff", "platform"] }, "operator"],
  [{ groups: "on-call" }, "operator"],
  [{ groups: ["staff"] }, "viewer"],
  [{ groups: ["platform staff"] }, undefined],
  [{ groups: "[platform]" }, undefined],
  [{ groups: [] }, undefined],
  [{ groups: [{ platform: true }], roles: ["platform"] }, undefined],
  [{}, undefined],
])("%j: %s", (claims, role) => {
  expect(accessOf(claims, groups)).toEqual(role && { role });
});

const [acme, beta] = ["6a7cf6a5-5a40-4f9e-9b4e-9a0b1c2d3e4f", "0d3f0000-0000-4000-8000-000000000001"];

test.each([
  [["acme-ops"], { organizations: [{ id: acme, role: "operator" }] }],
  [
    ["acme-ops", "guests"],
    {
      organizations: [
        { id: acme, role: "operator" },
        { id: beta, role: "viewer" },
      ],
    },
  ],
  [["acme-ops", "staff"], { role: "viewer", organizations: [{ id: acme, role: "operator" }] }],
  [["acme-staff", "acme-ops"], { organizations: [{ id: acme, role: "operator" }] }],
  [[`acme-ops=${acme}`], undefined],
  [[`staff=${acme}`], undefined], // a value that people may choose themselves
])("settings give %j a role in single organizations", (values, access) => {
  const operators = ["platform", `acme-ops=${acme.toUpperCase()}`];
  const viewers = ["staff", `acme-staff=${acme}`, `guests=${beta}`];
  expect(accessOf({ groups: values }, { claim: "groups", operators, viewers })).toEqual(access);
});

test.each([
  [
    [`operators=${acme}`, `viewers=${beta}`],
    {
      organizations: [
        { id: acme, role: "operator" },
        { id: beta, role: "viewer" },
      ],
    },
  ],
  [["viewers", `operators=${acme}`], { role: "viewer", organizations: [{ id: acme, role: "operator" }] }],
  [["operators=acme", "others"], undefined],
])("groups of the user pool give %j a role in single organizations", (values, access) => {
  const roles = { claim: "groups", operators: ["operators"], viewers: ["viewers"], organizationValues: true };
  expect(accessOf({ groups: values }, roles)).toEqual(access);
});

test("a claim that only objects have gives no role", () => {
  expect(accessOf({}, { claim: "constructor", operators: ["Object"], viewers: [] })).toBeUndefined();
});

test("an email address gives a role only if it is verified", () => {
  const emails = { claim: "email", operators: ["ada@example.com"], viewers: [] };
  const roles = [true, "true", false, undefined, ["true"], [true]].map(
    (email_verified) => accessOf({ email: "ada@example.com", email_verified }, emails)?.role,
  );
  expect(roles).toEqual(["operator", "operator", undefined, undefined, undefined, undefined]);
});

test("the audit names a person, with the id that the provider gave", () => {
  expect(actorOf({ sub: "42", email: "ada@example.com", name: "Ada" })).toBe("ada@example.com (42)");
  expect(actorOf({ sub: "42", preferred_username: "root (1)\n" })).toBe("root (1)  (42)");
  expect(actorOf({ sub: "42" })).toBe("42");
});
