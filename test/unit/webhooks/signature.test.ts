import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import type { Delivery } from "../../../src/runs/deliveries.ts";
import { webhookRequest } from "../../../src/deliveries/message.ts";

const [first, second] = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"];
const delivery: Delivery = {
  id: "msg_1_2_finished_x",
  messageId: "msg_1_2_finished",
  agentId: "agent",
  organizationId: "organization",
  runId: "run",
  turn: 2,
  type: "run.finished",
  status: "running",
  at: Date.UTC(2026, 10, 22, 12),
  attempts: 0,
  state: "pending",
};

test("the library of Standard Webhooks accepts a message with each of the secrets, and no changed one", () => {
  const { body, headers } = webhookRequest(delivery, { labels: { order: "Ærø 🧑" } }, [first, second], Date.now());
  const payload = new Webhook(first).verify(body, headers);
  expect(payload).toEqual({
    type: "run.finished",
    timestamp: "2026-11-22T12:00:00.000Z",
    data: { run_id: "run", agent_id: "agent", status: "running", turn: 2, labels: { order: "Ærø 🧑" } },
  });
  expect(new Webhook(second).verify(body, headers)).toEqual(payload);
  const other = new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`);
  expect(() => other.verify(body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(first).verify(body.replace("finished", "failed"), headers)).toThrow("No matching signature");
  const resent = { ...headers, "webhook-timestamp": String(Math.floor(Date.now() / 1_000) - 60) };
  expect(() => new Webhook(first).verify(body, resent)).toThrow("No matching signature");
});

test("a message and its repetitions have the same id and body", () => {
  const { headers, body } = webhookRequest(delivery, {}, [first], 1_763_000_000_999);
  const repeated = webhookRequest({ ...delivery, id: "msg_1_2_finished", attempts: 3 }, {}, [second], 0);
  expect(headers).toMatchObject({ "webhook-id": "msg_1_2_finished", "webhook-timestamp": "1763000000" });
  expect(repeated.headers["webhook-id"]).toBe("msg_1_2_finished");
  expect(repeated.body).toBe(body);
});
