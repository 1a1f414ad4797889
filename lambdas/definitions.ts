import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from "aws-lambda";
import { awsSettings, env } from "../src/env.ts";
import { createDefined, type DefinitionDeps, deleteDefined, updateDefined } from "../src/definitions/apply.ts";
import { definitionOf, kindOf } from "../src/definitions/properties.ts";
import { log } from "../src/log.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { reasonOf } from "../src/definitions/reason.ts";
import { accountsOf, keyStore, respond } from "../src/platform/aws/functions/definitions.ts";

// The custom resources for organizations, agents and keys. CloudFormation waits for the response at `ResponseURL`.

const settings = awsSettings();
const shared = {
  accounts: accountsOf(settings),
  secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
  retentionDays: Number(env("RETENTION_DAYS")),
  storeKey: keyStore(settings),
};

/** Id of a resource whose creation failed. CloudFormation deletes it, which does nothing. */
const failed = "not-created";

/** Does not throw: a failed definition is a response. Lambda would call it again, and CloudFormation would wait. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { StackId, RequestId, LogicalResourceId } = event;
  const former = "PhysicalResourceId" in event ? event.PhysicalResourceId : failed;
  const base = { StackId, RequestId, LogicalResourceId };
  let response: CloudFormationCustomResourceResponse;
  try {
    const id = await apply({ ...shared, actor: StackId }, event, former);
    response = { ...base, Status: "SUCCESS", PhysicalResourceId: id };
  } catch (error) {
    log("error", "a definition could not be applied", { resource: LogicalResourceId, error });
    response = { ...base, Status: "FAILED", PhysicalResourceId: former, Reason: reasonOf(error) };
  }
  await respond(event.ResponseURL, response);
}

async function apply(deps: DefinitionDeps, event: CloudFormationCustomResourceEvent, id: string): Promise<string> {
  const kind = kindOf(event.ResourceType);
  if (event.RequestType === "Delete") {
    if (id !== failed) await deleteDefined(deps, id, kind);
    return id;
  }
  const defined = definitionOf(kind, event.ResourceProperties);
  if (event.RequestType === "Create") return createDefined(deps, defined);
  return updateDefined(deps, id, defined, definitionOf(kind, event.OldResourceProperties).properties);
}
