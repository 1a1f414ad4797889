import { createOperator } from "../../src/accounts/operators.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { openapiDocument } from "../../src/manage/generated/openapi.ts";
import { type LocalService, localService, type RestCaller, restCaller } from "./local-service.ts";
import { responseChecks } from "./rest-contract.ts";

/** The service of one machine in this process, with tokens for its management API. */
export interface ManageService extends LocalService {
  operatorToken: string;
  viewerToken: string;
  /** Sends a request below `/manage/v1`, by default with the operator's token. */
  call: RestCaller;
}

const problemsOf = responseChecks(openapiDocument);

export async function manageService(options: Parameters<typeof localService>[0] = {}): Promise<ManageService> {
  const service = await localService(options);
  const { accounts } = service.platform;
  const { token: operatorToken } = await createOperator(accounts, { name: "Op", role: "operator" });
  const { token: viewerToken } = await createOperator(accounts, { name: "View", role: "viewer" });
  const call = restCaller(service.baseUrl, { basePath: "/manage/v1", token: operatorToken, problemsOf });
  return { ...service, operatorToken, viewerToken, call };
}

/** Starts a trial. Resolves with it and its cases when it has finished. */
export async function finishedTrial(
  { call }: Pick<ManageService, "call">,
  id: string,
): Promise<{ trial: Schemas["Trial"]; cases: Schemas["TrialCase"][] }> {
  await call("POST", `/trials/${id}/start`);
  for (;;) {
    const { body: trial } = await call<Schemas["Trial"]>("GET", `/trials/${id}`);
    if (trial.status === "finished") {
      const { body: cases } = await call<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
      return { trial, cases: cases.data };
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves with a run when no turn of it is in progress. */
export async function untilIdle({ call }: Pick<ManageService, "call">, id: string): Promise<Schemas["RunDetail"]> {
  for (;;) {
    const { body } = await call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
    if (body.status !== "running") return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
