import { randomUUID } from "node:crypto";
import { create, read, sendCall } from "./client.ts";
import { type Case, expectError, expectIssues, type ExpectedIssue } from "./expect.ts";

const required = /required/i;
const aString = /string/i;
const aUuid = /uuid/i;
const aList = /list|array/i;
const anObject = /object|dictionary/i;
const atLeast1 = /at least 1 /;

function issue(type: string | string[], loc: (string | number)[], msg: RegExp): ExpectedIssue {
  return { type, loc: ["body", ...loc], msg };
}

const file = { filename: "a.txt", content_base64: "QQ==" };

/** Fields that override a valid body, and the issues that must be reported. */
const rejected: { name: string; fields: Record<string, unknown>; issues: ExpectedIssue[] }[] = [
  { name: "name missing", fields: { name: undefined }, issues: [issue("missing", ["name"], required)] },
  { name: "name null", fields: { name: null }, issues: [issue("string_type", ["name"], aString)] },
  { name: "name a number", fields: { name: 5 }, issues: [issue("string_type", ["name"], aString)] },
  { name: "name empty", fields: { name: "" }, issues: [issue("string_too_short", ["name"], atLeast1)] },
  {
    name: "name of 201 characters",
    fields: { name: "n".repeat(201) },
    issues: [issue("string_too_long", ["name"], /at most 200 characters/)],
  },
  {
    name: "name of 201 emoji",
    fields: { name: "😀".repeat(201) },
    issues: [issue("string_too_long", ["name"], /at most 200 characters/)],
  },
  {
    name: "template_id missing",
    fields: { template_id: undefined },
    issues: [issue("missing", ["template_id"], required)],
  },
  {
    name: "template_id not a UUID",
    fields: { template_id: "not-a-uuid" },
    issues: [issue("uuid_parsing", ["template_id"], aUuid)],
  },
  {
    name: "template_id empty",
    fields: { template_id: "" },
    issues: [issue("uuid_parsing", ["template_id"], aUuid)],
  },
  {
    name: "template_id a number",
    fields: { template_id: 7 },
    issues: [issue(["uuid_type", "uuid_parsing"], ["template_id"], aUuid)],
  },
  {
    name: "template_id null",
    fields: { template_id: null },
    issues: [issue(["uuid_type", "uuid_parsing"], ["template_id"], aUuid)],
  },
  {
    name: "input_text a number",
    fields: { input_text: 1 },
    issues: [issue("string_type", ["input_text"], aString)],
  },
  { name: "files null", fields: { files: null }, issues: [issue("list_type", ["files"], aList)] },
  { name: "files an object", fields: { files: {} }, issues: [issue("list_type", ["files"], aList)] },
  {
    name: "11 files",
    fields: { files: Array.from({ length: 11 }, () => file) },
    issues: [issue("too_long", ["files"], /at most 10 /)],
  },
  {
    name: "a file that is a string",
    fields: { files: [file, "a.txt"] },
    issues: [issue("model_attributes_type", ["files", 1], anObject)],
  },
  {
    name: "a file without filename",
    fields: { files: [{ content_base64: "QQ==" }] },
    issues: [issue("missing", ["files", 0, "filename"], required)],
  },
  {
    name: "a file without content_base64",
    fields: { files: [{ filename: "a.txt" }] },
    issues: [issue("missing", ["files", 0, "content_base64"], required)],
  },
  {
    name: "filename empty",
    fields: { files: [{ ...file, filename: "" }] },
    issues: [issue("string_too_short", ["files", 0, "filename"], atLeast1)],
  },
  {
    name: "filename of 256 characters",
    fields: { files: [{ ...file, filename: "f".repeat(256) }] },
    issues: [issue("string_too_long", ["files", 0, "filename"], /at most 255 characters/)],
  },
  {
    name: "filename a number",
    fields: { files: [{ ...file, filename: 1 }] },
    issues: [issue("string_type", ["files", 0, "filename"], aString)],
  },
  {
    name: "content_base64 empty",
    fields: { files: [{ ...file, content_base64: "" }] },
    issues: [issue("string_too_short", ["files", 0, "content_base64"], atLeast1)],
  },
  {
    name: "content_base64 null",
    fields: { files: [{ ...file, content_base64: null }] },
    issues: [issue("string_type", ["files", 0, "content_base64"], aString)],
  },
  {
    name: "name, template_id, input_text and two files wrong at once",
    fields: { name: "", template_id: "x", input_text: [], files: [{ ...file, filename: "" }, file, 3] },
    issues: [
      issue("string_too_short", ["name"], atLeast1),
      issue("uuid_parsing", ["template_id"], aUuid),
      issue("string_type", ["input_text"], aString),
      issue("string_too_short", ["files", 0, "filename"], atLeast1),
      issue("model_attributes_type", ["files", 2], anObject),
    ],
  },
];

/** Raw bodies. */
const bodies: { name: string; raw: string; issues: ExpectedIssue[] }[] = [
  {
    name: "an empty object",
    raw: "{}",
    issues: [issue("missing", ["name"], required), issue("missing", ["template_id"], required)],
  },
  { name: "an array", raw: "[]", issues: [issue("model_attributes_type", [], anObject)] },
  { name: "a string", raw: '"text"', issues: [issue("model_attributes_type", [], anObject)] },
  { name: "broken JSON", raw: '{"name": ', issues: [issue("json_invalid", ["…"], /json/i)] },
  { name: "not JSON", raw: "name=x", issues: [issue("json_invalid", ["…"], /json/i)] },
  { name: "empty", raw: "", issues: [issue(["missing", "json_invalid"], ["…"], /required|json/i)] },
  // FastAPI treats a body of null as a missing body.
  {
    name: "null",
    raw: "null",
    issues: [issue(["missing", "model_attributes_type"], [], /required|object|dictionary/i)],
  },
];

export const validationCases: Case[] = [
  ...rejected.map(
    ({ name, fields, issues }) =>
      ({
        name: `validation: ${name}`,
        async run(target) {
          expectIssues(await create(target, fields), issues);
        },
      }) satisfies Case,
  ),
  ...bodies.map(
    ({ name, raw, issues }) =>
      ({
        name: `validation: a body that is ${name}`,
        async run(target) {
          expectIssues(await sendCall(target, { method: "POST", path: "/v1/agents", raw }), issues);
        },
      }) satisfies Case,
  ),
  ...["not-a-uuid", "123", "00000000-0000-0000-0000-00000000000g", "%20"].map(
    (id) =>
      ({
        name: `validation: GET with the path parameter ${id}`,
        async run(target) {
          const issues = [{ type: "uuid_parsing", loc: ["path", "agent_id"], msg: aUuid }];
          expectIssues(await read(target, id), issues);
        },
      }) satisfies Case,
  ),
  {
    name: "order: another agent's template_id is 403",
    async run(target) {
      const response = await create(target, { template_id: randomUUID() });
      expectError(response, 403, "API key is not valid for the requested template");
    },
  },
  {
    name: "order: schema (422) before template_id (403)",
    async run(target) {
      const response = await create(target, { template_id: randomUUID(), name: "" });
      expectIssues(response, [issue("string_too_short", ["name"], atLeast1)]);
    },
  },
];
