import { expect, test } from "vitest";
import schema from "../../../../schemas/agent.schema.json" with { type: "json" };
import { changesOf, changeText, wasText } from "../../../../console/form/changes.ts";
import { type Draft, valueAt, withValue } from "../../../../console/form/json.ts";
import { formatDraft, parseDraft } from "../../../../console/form/json-text.ts";
import { agentFields } from "../../../../console/agents/form/layout.ts";
import { changedLines, fileDiff } from "../../../../console/agents/form/line-diff.ts";
import { lacksSecrets, withServerUrl } from "../../../../console/agents/form/mcp-url.ts";
import { fieldMessages, messageOf } from "../../../../console/form/messages.ts";
import { parseNumber } from "../../../../console/form/numbers.ts";
import { type Field, fieldsOf } from "../../../../console/form/schema-fields.ts";

const stored: Draft = {
  name: "Data analyst",
  instructions: "You answer questions about the tables in your workspace. Look at the first lines of a table first.",
  model: "claude-sonnet-5",
  tools: ["list_files", "read_file", "search_files", "write_file", "run_javascript"],
  parameters: { temperature: 0.2 },
  limits: { steps: 40, tokens: 500_000, seconds: 900 },
  runLimits: { dollars: 0.2 },
};

const fields = agentFields;

function field(...names: string[]): Field | undefined {
  let of: Field[] = fields;
  let found: Field | undefined;
  for (const name of names) {
    found = of.find((each) => each.name === name);
    of = found && "fields" in found ? found.fields : [];
  }
  return found;
}

test("every field of the agent schema has an input", () => {
  expect(fields.map(({ name }) => name)).toEqual(Object.keys(schema.properties).filter((name) => name !== "$schema"));
  expect(field("instructions")).toMatchObject({ kind: "text", long: true, required: true, maxLength: 100_000 });
  expect(field("tools")).toMatchObject({ kind: "checks", options: schema.properties.tools.items.enum });
  expect(field("limits", "tokens")).toMatchObject({ kind: "number", whole: true, placeholder: "500,000" });
  expect(field("limits", "inputTokens")).toMatchObject({ label: "Input tokens" });
  expect(field("parameters", "reasoningEffort")).toMatchObject({ kind: "choice", options: ["low", "medium", "high"] });
  expect(field("webFetch", "privateAddresses")).toMatchObject({ kind: "flag" });
  expect(field("webFetch", "hosts")).toMatchObject({ kind: "texts" });
  expect(field("readFile", "pdf")).toMatchObject({ label: "PDFs", kind: "choice", options: ["text", "pages"] });
  expect(field("mcp")).toMatchObject({ kind: "list", most: 10 });
  expect(field("toolPolicy")).toMatchObject({ kind: "rules", options: ["allow", "ask", "deny"], most: 200 });
  expect(field("clientTools")).toMatchObject({ kind: "json", list: true });
  expect(field("runModels")).toMatchObject({ kind: "json", list: true });
  expect(field("result", "schema")).toMatchObject({ kind: "json", list: false });
  expect(field("answers", "withinSeconds")).toMatchObject({ kind: "number", whole: true });
  expect(field("mcp", "tools")).toMatchObject({ kind: "texts" });
  expect(field("mcp", "headers", "secret")).toMatchObject({ kind: "text", secret: true, required: true });
});

test("a cleared text of an optional group is removed, one of a list's entry stays", () => {
  const url = { type: "object", required: ["url"], properties: { url: { type: "string" } } };
  const [group, list] = fieldsOf({ properties: { webhook: url, servers: { type: "array", items: url } } });
  expect(group).toMatchObject({ kind: "group", fields: [{ name: "url", required: true, keepsEmpty: false }] });
  expect(list).toMatchObject({ kind: "list", fields: [{ name: "url", required: true, keepsEmpty: true }] });
});

test("a violation of a field that the form does not have names it", () => {
  const detail = [
    { loc: ["body", "name"], msg: "String should have at most 200 characters" },
    { loc: ["body", "limits", "turn", "steps"], msg: "Input should be greater than 0" },
  ];
  const { at, other } = fieldMessages(detail, ["limits"]);
  expect(other).toEqual(["name: String should have at most 200 characters"]);
  expect([...at]).toEqual([["limits.turn.steps", "Input should be greater than 0"]]);
});

test("a yes-or-no field shows the default that its description names", () => {
  const on = { type: "boolean", description: "Whether it is kept. Default: true." };
  expect(fieldsOf({ properties: { on } })).toMatchObject([{ kind: "flag", preset: true }]);
  expect(field("allowDelete")).toMatchObject({ kind: "flag", preset: false });
});

test("a cleared field leaves no empty group behind, and the draft itself does not change", () => {
  const cleared = withValue(stored, ["runLimits", "dollars"], undefined);
  expect(cleared).not.toHaveProperty("runLimits");
  expect(stored["runLimits"]).toEqual({ dollars: 0.2 });
  expect(withValue({}, ["mcp", 0, "name"], "team")).toEqual({ mcp: [{ name: "team" }] });
  expect(withValue({ mcp: [{ name: "a" }] }, ["mcp", 0, "name"], undefined)).toEqual({ mcp: [{}] });
  expect(withValue({ mcp: [{ name: "a" }, { name: "b" }] }, ["mcp", 0], undefined)).toEqual({ mcp: [{ name: "b" }] });
});

test("the text of a draft is read as the same draft", () => {
  const text = formatDraft(stored);
  expect(parseDraft(text)).toEqual({ draft: stored });
  expect(text).toContain(`  "limits": { "steps": 40, "tokens": 500000, "seconds": 900 },\n`);
  expect(text).toContain(`  "tools": [\n    "list_files", "read_file", "search_files",`);
  expect(formatDraft({})).toBe("{}");
  expect(formatDraft({ mcp: [] })).toBe(`{\n  "mcp": []\n}`);
});

test("a text that is not an agent file is reported with its line", () => {
  expect(parseDraft(`{\n  "name": "a",\n  oops\n}`)).toEqual({ problem: "Not valid JSON in line 3." });
  expect(parseDraft("[]")).toEqual({ problem: "One JSON object is expected: { … }" });
  expect(parseDraft(`{"$schema": "x", "name": "a"}`)).toEqual({ draft: { name: "a" } });
});

test("changed fields have a text for the save bar and one for the field", () => {
  let draft = withValue(stored, ["limits", "steps"], 60);
  draft = withValue(draft, ["runLimits", "dollars"], 0.5);
  draft = withValue(draft, ["tools"], ["list_files", "read_file", "search_files", "write_file", "run_shell"]);
  draft = withValue(draft, ["instructions"], "Short.");
  draft = withValue(draft, ["maxRunning"], 3);
  const changes = changesOf(stored, draft);
  expect(changes.map(changeText)).toEqual([
    "instructions",
    "tools + run_shell, − run_javascript",
    "limits.steps 40 → 60",
    "runLimits.dollars 0.20 → 0.50",
    "maxRunning not set → 3",
  ]);
  expect(changes.map(wasText)).toEqual(["changed, was 98 characters", "changed", "was 40", "was 0.20", "was empty"]);
  expect(changesOf(stored, { ...stored, prices: {} })).toEqual([]);
});

test("the schema of results is one field of JSON, whose order counts", () => {
  expect(field("result", "schema")).toMatchObject({ kind: "json" });
  expect(field("result", "perRun")).toMatchObject({ kind: "flag" });
  const before = { properties: { b: { type: "string" }, a: {} }, required: [] };
  const after = { required: [], properties: { a: {}, b: { type: "string" } } };
  const draft = withValue(stored, ["result", "schema"], before);
  expect(formatDraft(draft)).toContain(
    `"result": {\n    "schema": {\n      "properties": { "b": { "type": "string" }, "a": {} },`,
  );
  const changes = changesOf(draft, withValue(draft, ["result", "schema"], after));
  expect(changes).toEqual([{ path: ["result", "schema"], before, after }]);
  expect([...changes, ...changesOf(stored, draft)].map(changeText)).toEqual(["result.schema", "result.schema"]);
  expect(changesOf(draft, structuredClone(draft))).toEqual([]);
  const sentence = "result.schema: /properties/a/type: must be one of the types";
  expect(messageOf(fieldMessages(sentence, Object.keys(schema.properties)), ["result", "schema"])).toBe(sentence);
});

test("changed lines are marked, a comma that an addition brings is not", () => {
  const before = formatDraft(stored);
  const after = formatDraft(withValue(withValue(stored, ["limits", "steps"], 60), ["maxRunning"], 3));
  const lines = after.split("\n");
  expect([...changedLines(before, after)].map((line) => lines[line])).toEqual([
    `  "limits": { "steps": 60, "tokens": 500000, "seconds": 900 },`,
    `  "maxRunning": 3`,
  ]);
  expect(changedLines(before, before).size).toBe(0);
  expect(fileDiff("a\nb\nc", "a\nd\nc,")?.rows).toEqual([
    { sign: " ", before: 1, after: 1, text: "a" },
    { sign: "-", before: 2, text: "b" },
    { sign: "+", after: 2, text: "d" },
    { sign: " ", before: 3, after: 3, text: "c," },
  ]);
});

test("the API's violations stand at their fields", () => {
  const names = Object.keys(schema.properties);
  const messages = fieldMessages(
    [
      { loc: ["body", "definition", "limits", "steps"], msg: "Input should be less than or equal to 1000" },
      { loc: ["body", "definition", "mcp", 0, "headers", "Authorization", "secret"], msg: "too short" },
      { loc: ["body", "definition"], msg: "Field required" },
    ],
    names,
  );
  expect(messageOf(messages, ["limits", "steps"])).toBe("Input should be less than or equal to 1000");
  expect(messageOf(messages, ["mcp", 0, "headers"])).toBeUndefined();
  expect(messageOf(messages, ["mcp", 0, "headers"], true)).toBe("too short");
  expect(messages.other).toEqual(["Field required"]);
  const sentence = "prices is missing; limits.dollars requires it";
  expect(messageOf(fieldMessages(sentence, names), ["prices"])).toBe(sentence);
  expect(fieldMessages("Agent has changed", names).other).toEqual(["Agent has changed"]);
});

test("another URL of an MCP server clears the stored secrets of its headers", () => {
  const header = { secret: "env:TEAM_TOKEN", prefix: "Bearer " };
  const before: Draft = { mcp: [{ name: "team", url: "https://one", headers: { Authorization: header } }] };
  const secret = ["mcp", 0, "headers", "Authorization", "secret"];
  const moved = withServerUrl(before, before, ["mcp", 0], "https://two");
  expect(valueAt(moved, secret)).toBe("");
  expect(lacksSecrets(before, moved, ["mcp", 0])).toBe(true);
  const named = withServerUrl(before, withValue(moved, secret, "env:OTHER"), ["mcp", 0], "https://three");
  expect(valueAt(named, secret)).toBe("env:OTHER");
  expect(lacksSecrets(before, named, ["mcp", 0])).toBe(false);
  expect(withServerUrl(before, moved, ["mcp", 0], "https://one")).toEqual(before);
});

test("numbers are read as people write them", () => {
  expect(["500,000", " 0.5 ", "1 000", ".2"].map(parseNumber)).toEqual([500_000, 0.5, 1_000, 0.2]);
  expect(["", "ten", "1.2.3", "0x10"].map(parseNumber)).toEqual([undefined, undefined, undefined, undefined]);
});
