import { vi } from "vitest";
import { createOrganization, setModel } from "../../src/accounts/organizations.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { decodeRequest, encodeMessage } from "../../src/sandbox/codec.ts";
import type { Sandbox } from "../../src/sandbox/sandbox-types.ts";
import { driveTrial } from "../../src/trials/drive-trial.ts";
import { trialTurns } from "../../src/trials/turn-kind.ts";
import { advance } from "../../src/workflow/advance.ts";
import { awsHandlers } from "./aws-handlers.ts";
import { manageService } from "./manage-service.ts";

/** The doors through which operators try changes on a platform. */
export interface TrialDoors extends AsyncDisposable {
  /** Sends a request to the management API. */
  call: <Body>(method: string, path: string, body?: object) => Promise<Body>;
  /** Resolves when the run or the trial at this path has ended. */
  settle: (path: string) => Promise<void>;
  /** As `settle`, by workers that may connect to this machine, where the servers of tests are. */
  settleHere: (path: string) => Promise<void>;
  organizationId: string;
  /** Where the platform itself is reached. */
  port: number;
}

/** The service of one machine, over HTTP. */
export async function localDoors(model: ModelConfiguration): Promise<TrialDoors> {
  const service = await manageService({ model, sandbox: "auto" });
  const call: TrialDoors["call"] = async <Body>(method: string, path: string, body?: object) => {
    const response = await service.call<Body>(method, path, body && { body });
    if (response.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  async function settle(path: string): Promise<void> {
    for (;;) {
      const { status } = await call<{ status: string }>("GET", path);
      if (status === "finished") return;
      if (status !== "running") throw new Error(`${path} is ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const { organization_id: organizationId } = await call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  const port = Number(new URL(service.baseUrl).port);
  const close = () => service[Symbol.asyncDispose]();
  return { call, settle, settleHere: settle, organizationId, port, [Symbol.asyncDispose]: close };
}

/** The exported handlers of AWS, with stores in memory: one per test file. `sandbox`: runs programs, as their function does. */
export async function awsDoors(model: ModelConfiguration, sandbox: Sandbox): Promise<TrialDoors> {
  const metrics = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { signal } = new AbortController();
  const service = await awsHandlers({
    functions: {
      sandbox: async (event) => {
        const { request } = event as { request: string };
        return { result: encodeMessage(await sandbox.run(decodeRequest(request), signal)) };
      },
    },
    environment: { SANDBOX_FUNCTION: "sandbox" },
  });
  const { aws, platform } = service;
  const { id: organizationId } = await createOrganization(platform.accounts, { name: "O" });
  await setModel(platform.accounts, organizationId, model);
  // What `advance` has, but for the addresses: functions on AWS never connect to their own machine.
  const worker = {
    ...platform,
    now: Date.now,
    addresses: "local" as const,
    sandboxOf: () => sandbox,
    secretOf: async () => undefined,
    kindOf: trialTurns(platform, (id) => driveTrial({ ...platform, now: Date.now }, id)),
  };
  async function takeTurn(input: string): Promise<void> {
    const turn = JSON.parse(input) as { runId: string; turn: number };
    while (!(await advance(worker, turn, { signal, deadline: Infinity })).done);
  }
  return {
    call: service.call,
    settle: () => service.work(),
    settleHere: () => service.work(takeTurn),
    organizationId,
    port: Number(new URL(aws.endpoint).port),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      metrics.mockRestore();
    },
  };
}
