import { isDeepStrictEqual } from "node:util";
import type { HttpResponse, TestedServer } from "./types.ts";

/**
 * A named check. It passes if `run` resolves: with a text, if there was nothing to check, which says why. A `Mismatch` has
 * what was expected and what was received.
 */
export interface Case {
  name: string;
  run: (target: TestedServer) => Promise<void>;
}

export class Mismatch extends Error {
  readonly expected: string;
  readonly received: string;

  constructor(expected: string, received: string) {
    super(`expected ${expected}, received ${received}`);
    this.name = "Mismatch";
    this.expected = expected;
    this.received = received;
  }
}

/** An expected validation issue: one of `type`, exactly `loc` (a prefix if `…` is last), and a matching `msg`. */
export interface ExpectedIssue {
  type: string | string[];
  loc: (string | number)[];
  msg: RegExp;
}

export interface StatusBody {
  agent_id: string;
  loop_status: string;
  transcript: { role: string; text: string }[];
}

export const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const statuses = ["running", "finished", "technical_error", "terminated"];
const roles = ["input_to_agent", "output_from_agent"];

/** A response on one line, truncated. */
export function describe(response: HttpResponse): string {
  return `${response.status} ${response.contentType || "(no content type)"} ${shorten(response.text)}`;
}

export function shorten(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

export function expect(condition: boolean, expected: string, received: string): void {
  if (!condition) throw new Mismatch(expected, shorten(received));
}

export function expectEqual(received: unknown, expected: unknown, what: string): void {
  expect(
    isDeepStrictEqual(received, expected),
    `${what} ${JSON.stringify(expected)}`,
    JSON.stringify(received) ?? "none",
  );
}

function expectJson(response: HttpResponse, status: number, expected: string): void {
  const json = /^application\/json\s*(;|$)/i.test(response.contentType);
  expect(response.status === status && json && response.json !== undefined, expected, describe(response));
}

/** Expects 201, `application/json` and a body of exactly one field. Returns the id of the new run. */
export function expectCreated(response: HttpResponse): string {
  const expected = '201 application/json {"agent_id": a UUID} without other fields';
  expectJson(response, 201, expected);
  const id = asObject(response.json)["agent_id"];
  const text = typeof id === "string" ? id : "";
  const exact = Object.keys(asObject(response.json)).length === 1 && uuidShape.test(text.toLowerCase());
  expect(exact, expected, describe(response));
  return text;
}

/** Expects an error whose `detail` is one of `details`, or any string if there are none. */
export function expectError(response: HttpResponse, status: number, ...details: string[]): void {
  const expected = `${status} application/json {"detail": ${details.map((text) => JSON.stringify(text)).join(" or ") || "a string"}}`;
  expectJson(response, status, expected);
  const { detail } = asObject(response.json);
  const fits = typeof detail === "string" && (details.length === 0 || details.includes(detail));
  expect(fits, expected, describe(response));
}

/** Expects 422 with exactly these issues, in any order. */
export function expectIssues(response: HttpResponse, issues: ExpectedIssue[]): void {
  const list = issues
    .map(({ type, loc, msg }) => `${String(type)} at ${JSON.stringify(loc)} matching ${msg}`)
    .join(", ");
  const expected = `422 application/json with ${issues.length === 1 ? "the issue" : "the issues"} ${list} only`;
  expectJson(response, 422, expected);
  const { detail } = asObject(response.json);
  const received = Array.isArray(detail) ? detail.map(asObject) : [];
  const all = issues.every((issue) => received.some((item) => isIssue(item, issue)));
  expect(all && received.length === issues.length, expected, describe(response));
}

function isIssue(item: Record<string, unknown>, { type, loc, msg }: ExpectedIssue): boolean {
  const { loc: received } = item;
  if (!Array.isArray(received)) return false;
  const open = loc.at(-1) === "…";
  const wanted = open ? loc.slice(0, -1) : loc;
  return (
    typeof item["type"] === "string" &&
    [type].flat().includes(item["type"]) &&
    typeof item["msg"] === "string" &&
    msg.test(item["msg"]) &&
    isDeepStrictEqual(open ? received.slice(0, wanted.length) : received, wanted)
  );
}

/** Expects 200 and a status body of the run `id`, with valid roles and statuses and no other fields. */
export function expectStatusBody(response: HttpResponse, id: string): StatusBody {
  const expected = `200 application/json {"agent_id": "${id}", "loop_status", "transcript": [{"role", "text"}]}`;
  expectJson(response, 200, expected);
  const { agent_id, loop_status, transcript, ...rest } = asObject(response.json);
  expect(agent_id === id && Object.keys(rest).length === 0, expected, describe(response));
  expect(statuses.includes(String(loop_status)), `a loop_status of ${statuses.join(", ")}`, String(loop_status));
  expect(Array.isArray(transcript), expected, describe(response));
  const messages = (Array.isArray(transcript) ? transcript : []).map((message) => {
    const { role, text } = asObject(message);
    expect(roles.includes(String(role)), `a role of ${roles.join(", ")}`, JSON.stringify(message));
    expect(typeof text === "string", "a message whose text is a string", JSON.stringify(message));
    return { role: String(role), text: String(text) };
  });
  return { agent_id: id, loop_status: String(loop_status), transcript: messages };
}

/** Expects a finished run with one turn: exactly that input, then a non-empty output. */
export function expectFinishedTurn(body: StatusBody, input: string): string {
  const expected = "finished, with the unchanged input and an output";
  const [first, second] = body.transcript;
  const fits =
    body.loop_status === "finished" &&
    body.transcript.length === 2 &&
    first?.role === "input_to_agent" &&
    first.text === input &&
    second?.role === "output_from_agent" &&
    second.text !== "";
  expect(fits, expected, JSON.stringify(body));
  return second?.text ?? "";
}
