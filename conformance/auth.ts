import { randomUUID } from "node:crypto";
import { bearer, created, read, sendCall } from "./client.ts";
import type { TestedServer } from "./types.ts";
import { type Case, describe, expect, expectError, expectStatusBody } from "./expect.ts";

type Auth = (target: TestedServer) => Record<string, string>;

const missing = "Missing API key";
const invalid = "Invalid API key";
const unknownKey = "ak_conformanceunknown0000000000000000000000000000000000";
const basic = "Basic dXNlcjpwYXNz";

const valid: { name: string; auth: Auth }[] = [
  { name: "Authorization: Bearer", auth: ({ apiKey }) => bearer(apiKey) },
  { name: "Authorization: bearer in lower case", auth: ({ apiKey }) => ({ authorization: `bearer ${apiKey}` }) },
  { name: "Authorization: BEARER in upper case", auth: ({ apiKey }) => ({ authorization: `BEARER ${apiKey}` }) },
  { name: "X-API-Key", auth: ({ apiKey }) => ({ "x-api-key": apiKey }) },
  {
    name: "X-API-Key beside an Authorization that is not Bearer",
    auth: ({ apiKey }) => ({ authorization: basic, "x-api-key": apiKey }),
  },
  {
    name: "a valid Bearer credential beside an invalid X-API-Key",
    auth: ({ apiKey }) => ({ ...bearer(apiKey), "x-api-key": unknownKey }),
  },
  { name: "the same key in both headers", auth: ({ apiKey }) => ({ ...bearer(apiKey), "x-api-key": apiKey }) },
];

const rejected: { name: string; auth: Auth; details: string[] }[] = [
  { name: "no key", auth: () => ({}), details: [missing] },
  {
    name: "an Authorization that is not Bearer and no X-API-Key",
    auth: () => ({ authorization: basic }),
    details: [missing],
  },
  { name: "an unknown key as Bearer", auth: () => bearer(unknownKey), details: [invalid] },
  { name: "an unknown key as X-API-Key", auth: () => ({ "x-api-key": unknownKey }), details: [invalid] },
  { name: "a key without the prefix", auth: () => bearer("no-such-key"), details: [invalid] },
  {
    name: "a valid key with one character changed",
    auth: ({ apiKey }) => bearer(apiKey.slice(0, -1) + (apiKey.endsWith("x") ? "y" : "x")),
    details: [invalid],
  },
  {
    name: "an unknown Bearer credential, although X-API-Key is valid",
    auth: ({ apiKey }) => ({ ...bearer(unknownKey), "x-api-key": apiKey }),
    details: [invalid],
  },
  { name: "an empty X-API-Key (open: either text)", auth: () => ({ "x-api-key": "" }), details: [missing, invalid] },
  {
    name: "Bearer without a key (open: either text)",
    auth: () => ({ authorization: "Bearer" }),
    details: [missing, invalid],
  },
];

export const authCases: Case[] = [
  ...valid.map(
    ({ name, auth }) =>
      ({
        name: `auth: accepts ${name}`,
        async run(target) {
          const id = await created(target);
          expectStatusBody(await read(target, id, auth(target)), id);
          // An empty body shows that the key was accepted, and starts no run.
          const response = await sendCall(target, { method: "POST", path: "/v1/agents", auth: auth(target), body: {} });
          expect(response.status === 422, "422 for an empty body", describe(response));
        },
      }) satisfies Case,
  ),
  ...rejected.map(
    ({ name, auth, details }) =>
      ({
        name: `auth: rejects ${name} before checking fields, template or run`,
        async run(target) {
          const headers = auth(target);
          const body = { name: "conformance", template_id: target.templateId };
          const post = { method: "POST", path: "/v1/agents", auth: headers };
          expectError(await sendCall(target, { ...post, body }), 401, ...details);
          expectError(await sendCall(target, { ...post, body: {} }), 401, ...details);
          // The specification leaves open whether the key or the JSON is checked first.
          const notJson = await sendCall(target, { ...post, raw: "{" });
          if (notJson.status !== 422) expectError(notJson, 401, ...details);
          expectError(
            await sendCall(target, { ...post, body: { ...body, template_id: randomUUID() } }),
            401,
            ...details,
          );
          expectError(await read(target, randomUUID(), headers), 401, ...details);
          expectError(await read(target, "not-a-uuid", headers), 401, ...details);
        },
      }) satisfies Case,
  ),
  {
    name: "auth: Bearer without a key beside a valid X-API-Key is either accepted or rejected (open)",
    async run(target) {
      const response = await read(target, randomUUID(), { authorization: "Bearer", "x-api-key": target.apiKey });
      if (response.status === 401) expectError(response, 401, missing, invalid);
      else expectError(response, 404, "Agent not found");
    },
  },
];

/** Needs `--disabled-api-key`. */
export const disabledKeyCases: Case[] = [
  {
    name: "auth: rejects a disabled key like an unknown one",
    async run(target) {
      const disabled = bearer(target.disabledApiKey ?? "");
      expectError(await read(target, randomUUID(), disabled), 401, invalid);
      const body = { name: "conformance", template_id: target.templateId };
      expectError(await sendCall(target, { method: "POST", path: "/v1/agents", auth: disabled, body }), 401, invalid);
    },
  },
];

/** Needs `--other-api-key`. */
export const otherKeyCases: Case[] = [
  {
    name: "auth: a run of another agent looks like an unknown run",
    async run(target) {
      const other = bearer(target.otherApiKey ?? "");
      const hidden = await read(target, await created(target), other);
      expectError(hidden, 404, "Agent not found");
      const unknown = await read(target, randomUUID(), other);
      expect(hidden.text === unknown.text, `the body of an unknown run: ${unknown.text}`, hidden.text);
    },
  },
  {
    name: "auth: rejects another agent's key for this template_id (403)",
    async run(target) {
      const body = { name: "conformance", template_id: target.templateId };
      const auth = bearer(target.otherApiKey ?? "");
      const response = await sendCall(target, { method: "POST", path: "/v1/agents", auth, body });
      expectError(response, 403, "API key is not valid for the requested template");
    },
  },
];
