import type { Secrets } from "../../../agent/secret.ts";
import { secretRoot } from "../dynamodb/table.ts";

/** The name of a secret in Secrets Manager, or why the organization cannot use it: a refusal, and what to do. */
export type ResolvedName = { name: string } | { refusal: string; remedy: string };

/**
 * Resolves `secretsmanager:NAME` to the name `agent-run-service/<stage>/<organization>/NAME`. The whole name is accepted,
 * too. `prefix`: `agent-run-service/<stage>/`.
 */
export function resolveSecretName(secret: string, prefix: string, organizationId: string): ResolvedName {
  const own = `${prefix}${organizationId}/`;
  const [, given = ""] = /^secretsmanager:([\w/+=.@-]{1,512})$/.exec(secret) ?? [];
  const name = given.startsWith(own) ? given.slice(own.length) : given;
  if (name !== "" && !name.includes("/")) return { name: own + name };
  const earlier = given.startsWith(secretRoot) ? given.slice(secretRoot.length) : "";
  if (earlier === "" || earlier.includes("/")) {
    const remedy = `on AWS, a secret is secretsmanager:NAME, which has the name ${own}NAME in Secrets Manager`;
    return { refusal: given === "" ? "is not one of AWS Secrets Manager" : outsider, remedy };
  }
  return {
    refusal: `${outsider}; move it (docs/operations.md, "Move a secret")`,
    remedy:
      `the names of an organization's secrets start with ${own}; copy the value to ${own}${earlier} ` +
      `(aws secretsmanager create-secret --name ${own}${earlier}), and name it secretsmanager:${earlier}`,
  };
}

const outsider = "is not one of the organization's secrets";

/** Checks the names of secrets, not their existence: that was checked when they were configured. */
export function awsSecretRefusal(prefix: string): Secrets["secretRefusal"] {
  return (secret, { organizationId }) => {
    const resolved = resolveSecretName(secret, prefix, organizationId);
    return "refusal" in resolved ? resolved.refusal : undefined;
  };
}
