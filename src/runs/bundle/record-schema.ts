import { askKinds, mcpToolRules } from "../../agent/ask-kinds.ts";
import { compatSettings, failureCategories } from "../../agent/model.ts";
import { programSystems } from "../../agent/tools/program-system.ts";
import { providerNames } from "../../agent/models/model-config.ts";
import { resumeReasons } from "../../agent/turn/resume-reason.ts";
import { unmadeCalls } from "../../agent/turn/unmade-calls.ts";
import { usageFields } from "../../agent/turn/turn-limits.ts";
import { type BundledRun, requiredFields } from "../fields.ts";
import { labelNamePattern, maxLabelLength, maxLabels } from "../labels.ts";
import { newRunLimits } from "../begin/new-run-limits.ts";
import { runStatuses } from "../status.ts";

// The schemas of what a bundle contains, with the fields that this release records. `scripts/build-validators.ts` compiles them.

type Fields = Record<string, object>;

function object(required: Fields, optional: Fields = {}): object {
  const properties = { ...required, ...optional };
  return { type: "object", additionalProperties: false, required: Object.keys(required), properties };
}

const text = { type: "string" };
const sha256 = { type: "string", pattern: "^[0-9a-f]{64}$" };
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** The end of the year 9999, the last one of RFC 3339. */
const time = { type: "integer", minimum: 0, maximum: 253_402_300_799_999 };
/** Sums of amounts stay finite. */
const amount = { type: "number", minimum: 0, maximum: 1e15 };
const isSet = { enum: [true] };
/** The layout on AWS has 5 digits for turns and 8 for events. */
const turn = { type: "integer", minimum: 1, maximum: 99_999 };
const sequence = { type: "integer", minimum: 1, maximum: 99_999_999 };
const runId = { type: "string", pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" };
const list = (items: object): object => ({ type: "array", items });
const anyOf = (values: readonly unknown[]): object => ({ enum: values });

const tokens = object(
  { inputTokens: amount, outputTokens: amount },
  { cachedInputTokens: amount, cacheWriteInputTokens: amount, reasoningTokens: amount, estimated: isSet },
);
const fileVersion = { name: text, size: count };
const metadata = {
  mtime: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  mode: { type: "integer", minimum: 0, maximum: 0o777 },
  kind: { enum: ["link", "folder"] },
  linked: count,
};
const versionMore = { sha256, sentAs: text, deleted: isSet, ...metadata };
const file = object(fileVersion, versionMore);
const category = anyOf(failureCategories);
const failure = { category, title: text };
const fallback = object({ failure: object(failure, { waitMs: amount }) }, { model: text, configuration: text });
const cut = object({ results: count, tokens: { type: "number" } }, { named: isSet });

const compat = object(
  {},
  Object.fromEntries(Object.entries(compatSettings).map(([name, values]) => [name, anyOf(values)])),
);
/** `TurnMark`. */
const mark = {
  type: "object",
  maxProperties: 10,
  additionalProperties: { anyOf: [{ type: "string", maxLength: 100 }, count] },
};
const flag = { type: "boolean" };
const sent = object(
  { sha256, bytes: count },
  {
    status: count,
    requestId: text,
    compat,
    callsAsText: flag,
    withoutFiles: flag,
    withoutCachePoints: flag,
    resultFormat: anyOf(["native", "tool"]),
    maxOutputTokens: count,
    imageLimit: object({}, { side: count, bytes: count }),
  },
);
const received = object({}, { id: text, model: text, reason: text, usage: { type: "object" } });
const exchange = { sent: list(sent), received };

/** The provider's own form of an answer, as a part of a later request (`to-prompt.ts`). */
const echo = object({
  origin: text,
  messages: list(
    object(
      {
        role: anyOf(["assistant"]),
        content: list({ type: "object", required: ["type"], properties: { type: text, text } }),
      },
      { providerOptions: { type: "object" } },
    ),
  ),
});

const call = object(
  { id: text, name: text },
  { input: {}, json: text, sent: object({}, { name: text, json: text }), invalid: text },
);
const answer = object(
  {
    text,
    toolCalls: list(call),
    finishReason: anyOf(["stop", "tool-calls", "length", "content-filter", "other"]),
    usage: tokens,
  },
  { reasoning: object({}, { text, milliseconds: amount }), echo },
);
const limitReasons = ["steps", "tokens", "seconds", "inputTokens", "outputTokens", "dollars"];
const ended = anyOf([
  ...limitReasons,
  ...limitReasons.map((reason) => `run_${reason}`),
  "answer_length",
  "answer_filtered",
]);
const problem = object({ place: text, expected: text, received: text });
const attachment = object({ name: text, mediaType: text }, { sha256, pages: count });
const callResult = object({ callId: text, name: text, text }, { error: isSet, attachments: list(attachment) });
const kind = (name: string): object => anyOf([name]);
const given = {
  type: "object",
  oneOf: [
    object({ kind: kind("allow") }),
    object({ kind: kind("deny") }, { reason: text }),
    object({ kind: kind("output"), text }, { files: list(file) }),
    object({ kind: kind("error"), text }),
    object({ kind: kind("expired") }),
  ],
};

/** An entry of a journal. */
function entry(part: string, required: Fields, optional: Fields = {}): object {
  return object(
    { part: anyOf([part]), turn, step: count, sequence, at: time, ...required },
    { configuration: sha256, agentVersion: count, release: text, ...optional },
  );
}

/** The fields of any model call. */
const modelCall = { milliseconds: amount, dollars: amount, fallback, ...exchange };

/** The entries of a journal, by their part. */
const entries = {
  answer: entry(
    "answer",
    { answer },
    {
      note: text,
      cut,
      ended,
      model: text,
      window: count,
      checked: object({}, { problems: list(problem) }),
      unmade: anyOf(unmadeCalls),
      refused: list(text),
      firstTokenMs: amount,
      ...modelCall,
    },
  ),
  began: entry("began", { call: count }),
  asked: entry("asked", { call: count, kind: anyOf(askKinds), until: time }, { name: text }),
  answered: entry("answered", { call: count, answer: given }, { name: text }),
  result: entry(
    "result",
    { call: count, result: callResult },
    {
      milliseconds: amount,
      files: list(file),
      manifest: sha256,
      fileBytes: { ...count, minimum: -Number.MAX_SAFE_INTEGER },
      system: object({ kind: anyOf(programSystems) }, { digest: text }),
      structured: text,
    },
  ),
  summary: entry(
    "summary",
    { text, messages: count, throughTurn: count, usage: tokens },
    { rules: anyOf([2]), more: isSet, contextTokens: count, ...modelCall },
  ),
  failed: entry(
    "failed",
    { failure: object(failure), attempt: count, milliseconds: amount },
    {
      waitMs: amount,
      last: isSet,
      begun: isSet,
      usage: tokens,
      dollars: amount,
      note: text,
      cut,
      noTools: isSet,
      refused: list(text),
      tried: sha256,
      fallback,
      ...exchange,
    },
  ),
  resumed: entry("resumed", { instance: text, reason: anyOf(resumeReasons) }, { calls: list(count) }),
  forked: entry(
    "forked",
    { from: runId },
    {
      settings: sha256,
      trial: mark,
    },
  ),
};

const message = object(
  { role: anyOf(["input_to_agent", "output_from_agent"]), turn, text, sequence, at: time },
  { agentVersion: count },
);

const limitNames = ["steps", "tokens", "seconds", "inputTokens", "outputTokens", "dollars"];
const limits = object({}, Object.fromEntries(limitNames.map((name) => [name, amount])));

const ofRun: Record<keyof BundledRun, object> = {
  name: { type: "string", minLength: 1, maxLength: newRunLimits.nameLength, pattern: "\\S" },
  status: anyOf(runStatuses.filter((status) => status !== "running")),
  turn: { ...turn, minimum: 0 },
  createdAt: time,
  updatedAt: time,
  sequence: { ...sequence, minimum: 0 },
  failure: object({ ...failure, remedy: text, retryable: flag }),
  used: object(Object.fromEntries(usageFields.map((field) => [field, amount]))),
  model: text,
  tools: list(text),
  labels: {
    type: "object",
    maxProperties: maxLabels,
    propertyNames: { pattern: `^${labelNamePattern}$` },
    additionalProperties: { type: "string", maxLength: maxLabelLength },
  },
  resultSchema: sha256,
  chosen: object({}, { model: text, limits, runLimits: limits }),
};
const isRequired = ([name]: [string, object]): boolean => requiredFields.some((required) => required === name);
const bundledRun = object(
  Object.fromEntries(Object.entries(ofRun).filter((field) => isRequired(field))),
  Object.fromEntries(Object.entries(ofRun).filter((field) => !isRequired(field))),
);

/** A workspace has up to 2,000 files, and as many deleted ones. */
const maxFiles = 10_000;

const run = object(
  { runId, run: bundledRun },
  {
    uploads: { ...list(file), maxItems: maxFiles },
    files: { ...list(object(fileVersion, { ...versionMore, old: list(sha256) })), maxItems: maxFiles },
    summary: object({ throughTurn: count, text }),
  },
);

const manifest = object({
  format: text,
  version: count,
  files: list(object({ name: text, bytes: count, sha256 })),
});

const provider = object(
  { provider: anyOf(providerNames), enabled: flag },
  { model: text, secret: text, baseUrl: text, region: text, compat, idleSeconds: amount },
);
const system = object({ kind: anyOf(["linux", "wasm"]) }, { digest: text });
const offered = object(
  { name: text, description: text, input: { type: "object" } },
  {
    origin: object({ server: text }, { tool: text, instructions: text }),
    hasEffects: isSet,
    idempotent: flag,
    system,
    when: text,
  },
);
/** What a turn ran on. The agent is an agent file, whose validator checks it. */
const configuration = object({
  settings: object(
    { agent: { type: "object" } },
    {
      provider,
      fallbackProvider: provider,
      environment: object({ name: text, digest: text, engine: text }),
      mcpToolPolicy: anyOf(mcpToolRules),
    },
  ),
  offered: list(offered),
});

export const recordSchemas = { manifest, run, message, configuration, ...entries };
