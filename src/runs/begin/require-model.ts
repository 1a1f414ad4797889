import { modelProblem } from "../../agent/models/model-config.ts";
import type { ModelConfiguration } from "../../agent/model.ts";
import type { Secrets } from "../../agent/secret.ts";
import { ServiceError } from "../../errors.ts";

/**
 * Rejects with `no_model` unless runs of the organization can use the model. `name`: of its configuration, if the agent names it.
 * Reads no secret.
 */
export function requireModel(
  { secretRefusal }: Pick<Secrets, "secretRefusal">,
  organizationId: string,
  configuration: ModelConfiguration | undefined,
  name: string | undefined,
): void {
  const refusal = (secret: string, url: string) => secretRefusal(secret, { organizationId, purpose: "model", url });
  const problem = modelProblem(configuration, refusal, name);
  if (problem !== undefined) throw new ServiceError("no_model", problem);
}
