import { expect, test } from "vitest";
import {
  type AgentRow,
  errorShare,
  isAlarming,
  lastRunText,
  type Order,
  shareText,
  sorted,
} from "../../../../console/agents/list/activity.ts";

const created = "2026-11-01T00:00:00.000Z";

function row(name: string, runs: number, errors: number, dollars: number, more: object = {}): AgentRow {
  const agent = { id: name, organization_id: "o", name, status: "active", model: "m", version: 1, created_at: created };
  return {
    agent: { ...agent, updated_at: created } as AgentRow["agent"],
    activity: {
      agent_id: name,
      runs: [runs, ...Array.from({ length: 11 }, () => 0)],
      technical_errors: errors,
      dollars,
      unpriced_tokens: 0,
      running: 0,
      last_run_at: "2026-11-22T10:00:00.000Z",
      ...more,
    },
  };
}

const idle: AgentRow = { ...row("idle", 0, 0, 0), activity: undefined };

test("errors are a share of the runs, red from 5 %, and unknown without runs", () => {
  expect([310, 140, 3].map((runs) => shareText(errorShare(row("a", runs, 3, 0).activity) ?? 0))).toEqual([
    "1.0 %",
    "2.1 %",
    "100 %",
  ]);
  expect(errorShare(idle.activity)).toBeUndefined();
  expect(shareText(0)).toBe("0 %");
  expect([0.049, 0.05].map(isAlarming)).toEqual([false, true]);
});

test("agents are sorted by what is chosen; an unknown cost is not the lowest", () => {
  const rows = [
    row("cheap", 9, 0, 0.5),
    row("unpriced", 2, 1, 0, { unpriced_tokens: 5 }),
    row("dear", 1, 1, 7, { last_run_at: "2026-11-22T11:00:00.000Z" }),
    idle,
  ];
  const names = (order: Order): string =>
    sorted(rows, order)
      .map(({ agent }) => agent.name)
      .join(" ");
  expect(names("last")).toBe("dear cheap unpriced idle");
  expect(names("name")).toBe("cheap dear idle unpriced");
  expect(names("runs")).toBe("cheap unpriced dear idle");
  expect(names("errors")).toBe("dear unpriced cheap idle");
  expect(names("cost")).toBe("unpriced dear cheap idle");
});

test("an agent without a run that was read never had one, or had it before what was read", () => {
  const now = Date.parse("2026-11-22T12:00:00.000Z");
  const { agent } = idle;
  const text = (since: string | null): string => lastRunText(agent, { data: [], covers_since: since }, now);
  expect(text(null)).toBe("never");
  expect(text("2026-10-30T00:00:00.000Z")).toBe("never"); // it is newer than that
  expect(text("2026-11-22T09:00:00.000Z")).toBe("over 3 h ago");
  expect(text("2026-11-10T12:00:00.000Z")).toBe("before 10 Nov 2026");
});
