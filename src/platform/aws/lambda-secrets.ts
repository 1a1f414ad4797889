import { awsSettings } from "../../env.ts";
import { awsSecretOf, secretsManagerClient } from "./secrets.ts";

let client: ReturnType<typeof secretsManagerClient> | undefined;

/** The secrets of model configurations: those of AWS Secrets Manager only, not the `env:` and `file:` of one machine. */
export const secretOf = awsSecretOf(() => (client ??= secretsManagerClient(awsSettings())));
