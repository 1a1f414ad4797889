import { WebhookVerificationError } from "./errors.ts";

/** What a webhook says. Read the run for its output and open calls. */
export interface WebhookPayload {
  /** An operator sends `webhook.test` to try the receiver. Its `run_id` is all zeros. */
  type: "run.finished" | "run.waiting" | "run.failed" | "run.terminated" | "webhook.test";
  /** RFC 3339. */
  timestamp: string;
  data: { run_id: string; agent_id: string; status: string; turn: number; labels: Record<string, string> };
}

/** Seconds by which the clocks of sender and receiver may differ. */
const tolerance = 300;

/**
 * Verifies a webhook (Standard Webhooks 1.0) and resolves with its payload.
 * @param payload The body as it arrived. JSON that was parsed and written again has another signature.
 * @param headers The headers, with any case of names.
 * @param secrets `whsec_…`, or several during a rotation.
 * @throws WebhookVerificationError if no secret made a signature, the timestamp is more than 5 minutes from `now`
 * (milliseconds), the body was parsed, or the secret is not set.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | string[],
  { now = Date.now() }: { now?: number } = {},
): Promise<WebhookPayload> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > tolerance) {
    throw new WebhookVerificationError(
      `webhook-timestamp ${timestamp} is more than ${tolerance} s from the clock here`,
    );
  }
  const body = textOf(payload);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const given = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [bytesOf(each.slice(3))] : []));
  for (const secret of secretsOf(secrets)) {
    const key = await importKey(secret);
    for (const signature of given) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return JSON.parse(body) as WebhookPayload;
    }
  }
  throw new WebhookVerificationError("webhook-signature does not match: another secret, or the payload was changed");
}

/** Programs often pass what a framework has parsed (stripe/stripe-node#341, muxinc/mux-node-sdk#587). */
function textOf(payload: string | Uint8Array | ArrayBuffer): string {
  const given: unknown = payload; // JavaScript passes anything
  if (typeof payload === "string") return payload;
  if (payload instanceof ArrayBuffer || ArrayBuffer.isView(payload)) return new TextDecoder().decode(payload);
  const received = given === null ? "null" : typeof given;
  throw new WebhookVerificationError(
    `the payload is ${received}; accepted: a string or bytes; pass the raw body, because JSON that was parsed has another signature`,
  );
}

function secretsOf(secrets: unknown): string[] {
  const given: unknown[] = [secrets].flat();
  if (given.length > 0 && given.every((each) => typeof each === "string" && each !== "")) return given as string[];
  throw new WebhookVerificationError("the secret is not set; accepted: the text whsec_…, or a list of several");
}

function headerOf(headers: Headers | Record<string, string | string[] | undefined>, name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const value = entries.find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value === "string") return value;
  throw new WebhookVerificationError(`the header ${name} is missing`);
}

async function importKey(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (bytes.length === 0) throw new WebhookVerificationError("the secret is not whsec_ and base64"); // anybody has it
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of base64. Empty if it is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
