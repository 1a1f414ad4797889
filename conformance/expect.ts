import { isDeepStrictEqual } from "node:util";
import type { Answer, Target } from "./types.ts";

/** One named check. It passes when `run` resolves; a `Mismatch` says what was expected and received. */
export interface Case {
  name: string;
  run: (target: Target) => Promise<void>;
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

/** An expected validation issue: one of `type`, exactly `loc` (or its beginning, with `…` last), a `msg` like `msg`. */
export interface Issue {
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

/** An answer on one line, cut to what a person reads. */
export function describe(answer: Answer): string {
  return `${answer.status} ${answer.contentType || "(no content type)"} ${shorten(answer.text)}`;
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

function expectJson(answer: Answer, status: number, expected: string): void {
  const json = /^application\/json\s*(;|$)/i.test(answer.contentType);
  expect(answer.status === status && json && answer.json !== undefined, expected, describe(answer));
}

/** 201, `application/json` and a body of exactly one field. Returns the new run's id. */
export function expectCreated(answer: Answer): string {
  const expected = '201 application/json {"agent_id": a UUID} and no other field';
  expectJson(answer, 201, expected);
  const id = asObject(answer.json)["agent_id"];
  const text = typeof id === "string" ? id : "";
  const exact = Object.keys(asObject(answer.json)).length === 1 && uuidShape.test(text.toLowerCase());
  expect(exact, expected, describe(answer));
  return text;
}

/** An error whose `detail` is one of `details`, or any string when there are none. */
export function expectError(answer: Answer, status: number, ...details: string[]): void {
  const expected = `${status} application/json {"detail": ${details.map((text) => JSON.stringify(text)).join(" or ") || "a string"}}`;
  expectJson(answer, status, expected);
  const { detail } = asObject(answer.json);
  const fits = typeof detail === "string" && (details.length === 0 || details.includes(detail));
  expect(fits, expected, describe(answer));
}

/** 422 with exactly these issues, in any order. */
export function expectIssues(answer: Answer, issues: Issue[]): void {
  const list = issues.map(({ type, loc, msg }) => `${String(type)} at ${JSON.stringify(loc)} saying ${msg}`).join(", ");
  const expected = `422 application/json with ${issues.length === 1 ? "the issue" : "the issues"} ${list} and no other`;
  expectJson(answer, 422, expected);
  const { detail } = asObject(answer.json);
  const received = Array.isArray(detail) ? detail.map(asObject) : [];
  const all = issues.every((issue) => received.some((item) => isIssue(item, issue)));
  expect(all && received.length === issues.length, expected, describe(answer));
}

function isIssue(item: Record<string, unknown>, { type, loc, msg }: Issue): boolean {
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

/** 200 and a status body of the run `id`, with roles and statuses of the specification and nothing besides its fields. */
export function expectStatusBody(answer: Answer, id: string): StatusBody {
  const expected = `200 application/json {"agent_id": "${id}", "loop_status", "transcript": [{"role", "text"}]}`;
  expectJson(answer, 200, expected);
  const { agent_id, loop_status, transcript, ...rest } = asObject(answer.json);
  expect(agent_id === id && Object.keys(rest).length === 0, expected, describe(answer));
  expect(statuses.includes(String(loop_status)), `a loop_status of ${statuses.join(", ")}`, String(loop_status));
  expect(Array.isArray(transcript), expected, describe(answer));
  const messages = (Array.isArray(transcript) ? transcript : []).map((message) => {
    const { role, text } = asObject(message);
    expect(roles.includes(String(role)), `a role of ${roles.join(", ")}`, JSON.stringify(message));
    expect(typeof text === "string", "a message whose text is a string", JSON.stringify(message));
    return { role: String(role), text: String(text) };
  });
  return { agent_id: id, loop_status: String(loop_status), transcript: messages };
}

/** A run that has ended well after one input: exactly that input, then a non-empty output. */
export function expectFinishedTurn(body: StatusBody, input: string): string {
  const expected = "finished, with the input as it was sent and then the turn's output";
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
