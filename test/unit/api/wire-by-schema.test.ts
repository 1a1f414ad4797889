import { expect, test } from "vitest";
import { reference } from "../../../src/http/description.ts";
import {
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  object,
  text,
  time,
} from "../../../src/http/rest/schemas/schema-builders.ts";
import { wireBySchema } from "../../../src/http/rest/wire/by-schema.ts";

const wire = wireBySchema({
  Job: object(
    "A job.",
    {
      job_id: text("Id."),
      created_at: time("Created."),
      ended_at: nullable(time("Ended.")),
      last_try: nullableReference("Null: none.", reference("Try")),
      tries: list("All.", reference("Try")),
      is_urgent: flag("Urgent."),
    },
    ["is_urgent"],
  ),
  Try: object("A try.", { number: integer("From 1."), why_failed: nullable(text("Null: it did not.")) }),
});

test("a value has the names, times and nulls of its schema, in the order of the schema", () => {
  const first = { whyFailed: "no", number: 1 };
  expect(JSON.stringify(wire("Job", { tries: [first, { number: 2 }], lastTry: first, createdAt: 0, jobId: "j" }))).toBe(
    JSON.stringify({
      job_id: "j",
      created_at: "1970-01-01T00:00:00.000Z",
      ended_at: null,
      last_try: { number: 1, why_failed: "no" },
      tries: [
        { number: 1, why_failed: "no" },
        { number: 2, why_failed: null },
      ],
    }),
  );
});

test("nothing but the fields of the schema is sent", () => {
  const secret = { number: 1, secret: "s" };
  expect(wire("Try", secret)).toEqual({ number: 1, why_failed: null });
  expect(wire("Job", { jobId: "j", createdAt: 1, endedAt: 2, isUrgent: true, tries: [secret] })).toEqual({
    job_id: "j",
    created_at: "1970-01-01T00:00:00.001Z",
    ended_at: "1970-01-01T00:00:00.002Z",
    last_try: null,
    tries: [{ number: 1, why_failed: null }],
    is_urgent: true,
  });
});
