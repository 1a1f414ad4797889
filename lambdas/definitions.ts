import middy, { type MiddlewareObj } from "@middy/core";
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from "aws-lambda";
import { awsSettings, env } from "../src/env.ts";
import { createDefined, type DefinitionDeps, deleteDefined, updateDefined } from "../src/definitions/apply.ts";
import { definitionOf, kindOf } from "../src/definitions/properties.ts";
import { idOf } from "../src/definitions/request-id.ts";
import { log } from "../src/log.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { reasonOf } from "../src/definitions/reason.ts";
import { accountsOf, keyStore, respond } from "../src/platform/aws/functions/definitions.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";

// The custom resources for organizations, agents and keys. CloudFormation waits for the response at `ResponseURL`.

const settings = awsSettings();
const shared = {
  accounts: accountsOf(settings),
  secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
  retentionDays: Number(env("RETENTION_DAYS")),
  storeKey: keyStore(settings),
};

/**
 * Lambda may deliver an event twice. The id of what is created follows from the event, so that both have the same effect and answer.
 * A creation that failed has the id, too: CloudFormation then deletes what another delivery created.
 *
 * Does not throw: a failed definition is a response. Lambda would call it again, and CloudFormation would wait.
 */
async function define(event: CloudFormationCustomResourceEvent): Promise<CloudFormationCustomResourceResponse> {
  const { StackId, RequestId, LogicalResourceId } = event;
  const base = { StackId, RequestId, LogicalResourceId };
  const requestId = idOf(base);
  const former = "PhysicalResourceId" in event ? event.PhysicalResourceId : requestId;
  try {
    const id = await apply({ ...shared, actor: StackId }, event, former, requestId);
    return { ...base, Status: "SUCCESS", PhysicalResourceId: id };
  } catch (error) {
    log("error", "a definition could not be applied", { resource: LogicalResourceId, error });
    return { ...base, Status: "FAILED", PhysicalResourceId: former, Reason: reasonOf(error) };
  }
}

async function apply(
  deps: DefinitionDeps,
  event: CloudFormationCustomResourceEvent,
  id: string,
  requestId: string,
): Promise<string> {
  const kind = kindOf(event.ResourceType);
  if (event.RequestType === "Delete") {
    await deleteDefined(deps, id, kind);
    return id;
  }
  const defined = definitionOf(kind, event.ResourceProperties);
  if (event.RequestType === "Create") return createDefined(deps, defined, requestId);
  return updateDefined(deps, id, defined, definitionOf(kind, event.OldResourceProperties).properties, requestId);
}

/** A response that is not accepted fails the invocation, which Lambda then repeats. */
const respondToStack: MiddlewareObj<CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse> = {
  async after({ event, response }) {
    if (response) await respond(event.ResponseURL, response);
  },
};

export const handler = middy<CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse>(noEarlyTimeout)
  .use(respondToStack)
  .handler(define);
