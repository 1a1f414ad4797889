import { ServiceError } from "../errors.ts";
import { type Definition, resourceTypes } from "./definition-types.ts";

/** What a custom resource of this type is. */
export function kindOf(resourceType: string): Definition["kind"] {
  const found = Object.entries(resourceTypes).find(([, type]) => type === resourceType);
  if (found) return found[0] as Definition["kind"];
  const accepted = Object.values(resourceTypes).join(", ");
  throw new ServiceError("invalid_argument", `the type is ${JSON.stringify(resourceType)}; expected ${accepted}`);
}

/** The properties that each kind requires. */
const required = {
  organization: ["Name"],
  agent: ["OrganizationId", "Definition"],
  api_key: ["AgentIds", "SecretArn"],
} as const satisfies Record<Definition["kind"], string[]>;

/** The definition in the properties of an event, without those that CloudFormation adds. */
export function definitionOf(kind: Definition["kind"], given: Record<string, unknown>): Definition {
  const { ServiceToken: _token, ServiceTimeout: _timeout, ...properties } = given;
  const missing = required[kind].filter((name) => properties[name] === undefined);
  if (missing.length > 0) {
    throw new ServiceError("invalid_argument", `${missing.join(" and ")} of ${resourceTypes[kind]} is missing`);
  }
  return { kind, properties } as unknown as Definition; // `lib/definitions.ts` writes them
}
