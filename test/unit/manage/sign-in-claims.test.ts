import { expect, test } from "vitest";
import { actorOf, claimsOf, roleOf } from "../../../src/manage/sign-in/claims.ts";

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
  expect(roleOf(claims, groups)).toBe(role);
});

test("a claim that only objects have gives no role", () => {
  expect(roleOf({}, { claim: "constructor", operators: ["Object"], viewers: [] })).toBeUndefined();
});

test("an email address gives a role only if it is verified", () => {
  const emails = { claim: "email", operators: ["ada@example.com"], viewers: [] };
  const roles = [true, "true", false, undefined, ["true"], [true]].map((email_verified) =>
    roleOf({ email: "ada@example.com", email_verified }, emails),
  );
  expect(roles).toEqual(["operator", "operator", undefined, undefined, undefined, undefined]);
});

test("the audit names a person, with the id that the provider gave", () => {
  expect(actorOf({ sub: "42", email: "ada@example.com", name: "Ada" })).toBe("ada@example.com (42)");
  expect(actorOf({ sub: "42", preferred_username: "root (1)\n" })).toBe("root (1)  (42)");
  expect(actorOf({ sub: "42" })).toBe("42");
});
