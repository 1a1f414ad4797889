import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Run } from "../../src/runs/run-types.ts";
import { sweep } from "../../src/workflow/sweep.ts";
import { chatServer } from "../providers/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { callFunction } from "./service.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

const hour = 3_600_000;

test("a run whose execution is aborted ends with the reason", async () => {
  const seen: ServerResponse[] = [];
  await using hanging = await chatServer((response) => void seen.push(response));
  const { api } = await deployed.newAgent(...server(hanging.baseUrl));
  const runId = await api.create("Think for a long time.");
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(1);
  await deployed.sfn.send(new StopExecutionCommand({ executionArn: deployed.executionArn(runId, 1) }));
  expect((await api.ended(runId)).loop_status).toBe("technical_error");
  const { run } = (await deployed.stores.runs.read(runId)) ?? {};
  expect(run?.failure?.title).toContain("aborted");
});

test("the sweep ends a run that was never started and ignores a running one", async () => {
  const seen: ServerResponse[] = [];
  await using hanging = await chatServer((response) => void seen.push(response));
  const agent = await deployed.newAgent(...server(hanging.baseUrl));
  const atWork = await agent.api.create("Think for a long time.");
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(1);

  const now = Date.now() - hour;
  const lost: Run = {
    id: randomUUID(),
    agentId: agent.id,
    organizationId: agent.org,
    name: "Never started",
    status: "running",
    turn: 1,
    createdAt: now,
    updatedAt: now,
    sequence: 1,
  };
  await deployed.stores.runs.create(lost, [{ turn: 1, role: "input_to_agent", text: "Hello?", sequence: 1, at: now }]);
  expect(await callFunction("Sweep")).toMatchObject({ ended: 1 });
  expect(await agent.api.read(lost.id)).toMatchObject({ loop_status: "technical_error" });

  const later = { ...deployed, ...deployed.stores, now: () => Date.now() + hour };
  expect((await sweep(later)).ended).toBe(0);
  expect(await agent.api.read(atWork)).toMatchObject({ loop_status: "running" });
});
