import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { verifyWebhook } from "../../clients/typescript/src/index.ts";
import { run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";

interface Delivery {
  payload: string | object;
  headers: Record<string, string>;
  secrets: string | string[] | null;
  /** Seconds. */
  now: number;
}

const secret = `whsec_${randomBytes(24).toString("base64")}`;
const payload = JSON.stringify({ type: "run.finished", timestamp: "2026-11-22T12:00:00Z", data: { run_id: "1" } });
const now = 1_763_812_800;

/** A signature as Standard Webhooks 1.0 defines it. */
function sign(id: string, timestamp: number, body = payload, key = secret): string {
  const bytes = Buffer.from(key.replace("whsec_", ""), "base64");
  return `v1,${createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

function delivery({ signature = sign("msg_1", now), timestamp = String(now), ...more } = {}): Delivery {
  const headers = { "Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": signature };
  return { payload, headers, secrets: secret, now, ...more };
}

const other = `whsec_${randomBytes(24).toString("base64")}`;
const cases: Record<string, [Delivery, string]> = {
  "accepts a signature": [delivery(), "run.finished"],
  "accepts any of several secrets": [{ ...delivery(), secrets: [other, secret] }, "run.finished"],
  "accepts any of several signatures": [delivery({ signature: `v1,AAAA v2,x ${sign("msg_1", now)}` }), "run.finished"],
  "accepts the vector of the specification": [
    {
      payload: '{"test": 2432232314}',
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
      secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      now: 1_614_265_330,
    },
    "2432232314",
  ],
  "rejects another secret": [{ ...delivery(), secrets: other }, "WebhookVerificationError: webhook-signature"],
  "rejects an empty secret, which anybody has": [
    { ...delivery({ signature: sign("msg_1", now, payload, "") }), secrets: "" },
    "WebhookVerificationError: the secret is not",
  ],
  "says that a body was parsed": [
    { ...delivery(), payload: JSON.parse(payload) as object },
    "; pass the raw body, because JSON that was parsed",
  ],
  "says that a secret is not set": [
    { ...delivery(), secrets: null },
    "WebhookVerificationError: the secret is not set",
  ],
  "rejects a secret of another form": [
    { ...delivery({ signature: sign("msg_1", now, payload, "") }), secrets: "whsec_?" },
    "WebhookVerificationError: the secret is not",
  ],
  "rejects a changed payload": [
    { ...delivery(), payload: `${payload} ` },
    "WebhookVerificationError: webhook-signature",
  ],
  "rejects an old message": [
    { ...delivery(), now: now + 301 },
    "WebhookVerificationError: webhook-timestamp 1763812800",
  ],
  "rejects a message of the future": [
    { ...delivery(), now: now - 301 },
    "WebhookVerificationError: webhook-timestamp 1763812800",
  ],
  "rejects a timestamp that is no number": [
    delivery({ timestamp: "soon" }),
    "WebhookVerificationError: webhook-timestamp",
  ],
  "rejects headers without a signature": [
    { ...delivery(), headers: { "webhook-id": "msg_1", "webhook-timestamp": String(now) } },
    "WebhookVerificationError: the header webhook-signature is missing",
  ],
};

test.for(Object.entries(cases))(
  "TypeScript %s",
  async ([, [{ payload: body, headers, secrets, now: at }, expected]]) => {
    const result = await verifyWebhook(body as string, headers, secrets as string, { now: at * 1_000 }).then(
      (accepted) => JSON.stringify(accepted),
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(result).toContain(expected);
  },
);

test("Python does the same", async () => {
  const program = `
import json, sys
from agent_runs import verify_webhook

def result_of(each):
    try:
        payload = each["payload"]
        body = payload.encode() if isinstance(payload, str) else payload
        return json.dumps(verify_webhook(body, each["headers"], each["secrets"], now=each["now"]))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([result_of(each) for each in json.loads(sys.argv[1])]))
`;
  const deliveries = Object.values(cases).map(([each]) => each);
  const args = ["-c", program, JSON.stringify(deliveries)];
  const { stdout } = await run(await python("python"), args, { env: { ...process.env, PYTHONPATH: pythonClient } });
  const results = JSON.parse(stdout) as string[];
  expect(results).toEqual(Object.values(cases).map(([, expected]) => expect.stringContaining(expected)));
});
