import { labelNamePattern, maxLabelLength, maxLabelNameLength, maxLabels } from "../../runs/labels.ts";
import { runFilterStatuses } from "../../runs/status.ts";
import type { Schema } from "../../json-schema.ts";
import { uuid } from "./schemas/schema-builders.ts";

export const parameter = <const S extends Schema>(description: string, schema: S) => ({ description, schema });

const { description: _, ...id } = uuid("");

/** A parameter that is a UUID. */
export const idParameter = (description: string) => parameter(description, id);

export const timeParameter = (description: string) =>
  parameter(description, { type: "string", format: "date-time", examples: ["2026-11-22T00:00:00Z"] });

/** Entries of one page. */
export const limit = (initial: number, maximum: number) =>
  parameter("Entries of one page.", { type: "integer", minimum: 1, maximum, default: initial });

export const cursor = parameter("`next` of the previous page. Omit it for the first page.", {
  type: "string",
  minLength: 1,
  maxLength: 2000, // a name of 200 characters has up to 800 bytes
});

/** A point of a run. */
export const at = parameter(
  "A point of the run: after this step, as `TURN.STEP`. `2.0` is before the first step of turn 2. Default: now.",
  { type: "string", pattern: "^[0-9]{1,9}\\.[0-9]{1,9}$", examples: ["1.3"] },
);

/** The name of a run's file, in a path. */
export const fileName = parameter(
  "The file's name, percent-encoded: a slash is `%2F`. Slashes that are not encoded are accepted, too.",
  { type: "string", minLength: 1, maxLength: 1_000, examples: ["q3.csv", "reports/q3.csv"] },
);

/** The header that makes a request safe to repeat. `effect`: what its first request and a repetition do. */
export const idempotencyKey = (effect: string) => ({
  "Idempotency-Key": parameter(
    `1 to 255 visible ASCII characters, of your choice; a UUID is a good choice. ${effect}`,
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      pattern: "^[\\x21-\\x7e]+$",
      examples: ["order-4711"],
    },
  ),
});

const etag = (description: string) => parameter(description, { type: "string", examples: [`"${"5f".repeat(32)}"`] });

/** Request headers of a download (RFC 9110, 13.1 and 14.2). */
export const downloadHeaders = {
  Range: parameter(
    "One range of bytes, such as to continue a download that was cut. The whole file is sent for several ranges.",
    { type: "string", examples: ["bytes=1048576-"] },
  ),
  "If-Range": etag(
    "With `Range`: the ETag of the file that the client has a part of. The whole file is sent for another one.",
  ),
  "If-None-Match": etag("The ETag of the file that the client has: 304 if it is the same."),
  "If-Match": etag("The ETag that the file must have: 412 if it has another one."),
};

/** Request header of a poll. */
export const pollHeaders = {
  "If-None-Match": parameter("The ETag of the run that the client has: 304 without a body if it has not changed.", {
    type: "string",
    examples: ['W/"s0MWf2NUlqGn5w9Jb1Zc8g"'],
  }),
};

/** Headers of the response to a download. */
export const downloadedHeaders = {
  "Accept-Ranges": {
    description: "`bytes`: the file can be read in parts.",
    schema: { type: "string", const: "bytes" },
  },
  "Content-Range": {
    description: "Which bytes of the file these are, and of how many. With 416: only the number.",
    schema: { type: "string", examples: ["bytes 1048576-2097151/3000000"] },
  },
} as const;

/** The header of the response to a repetition. */
export const replayedHeader = {
  "Idempotent-Replayed": {
    description:
      "`true`: an earlier request with the same `Idempotency-Key` did what this one asks for. Left out otherwise.",
    schema: { type: "string", const: "true" },
  },
} as const;

/** Parameters of a list of events. */
export const eventParameters = {
  after: parameter("Only events after this number.", { type: "integer", minimum: 0, maximum: 1e9, default: 0 }),
  limit: limit(200, 1_000),
  max_text: parameter(
    "Cuts longer texts to this number of characters. The event then has `cut`. Default: nothing is cut.",
    { type: "integer", minimum: 0, maximum: 1e9 },
  ),
};

/** Request headers of a list of events. */
export const eventHeaders = {
  "Last-Event-ID": parameter("With a stream: number of the last event that was received. Replaces `after`.", {
    type: "string",
    examples: ["42"],
  }),
};

/** The id of a token of a run, in a path. */
export const tokenId = parameter("The token's ID.", { type: "string", pattern: "^[0-9a-z]{1,64}$" });

/** A parameter that can be repeated: its values are a list. */
export const repeated = <const S extends Schema>(description: string, maxItems: number, items: S) =>
  parameter(description, { type: "array", items, minItems: 1, maxItems });

/** Filters of runs by their creation, labels and texts. */
export const searchFilters = {
  since: timeParameter("Only runs that were created at this time or later."),
  until: timeParameter("Only runs that were created before this time."),
  label: repeated(
    "Only runs with this label, as `KEY=VALUE`. Repeated: only runs with all of these labels.",
    maxLabels,
    {
      type: "string",
      pattern: `^${labelNamePattern}=`,
      maxLength: maxLabelNameLength + 1 + maxLabelLength,
      examples: ["customer=4711"],
    },
  ),
  q: parameter(
    "Only runs with this text in their name or in the first words of their input, or whose ID begins or ends with it.",
    { type: "string", minLength: 1, maxLength: 200 },
  ),
};

export const runStatus = repeated(
  "Only runs with this status. `finished` means with an output; `waiting_for_input` means finished without a turn. Repeated: only runs with one of these statuses.",
  runFilterStatuses.length,
  { type: "string", enum: runFilterStatuses },
);
