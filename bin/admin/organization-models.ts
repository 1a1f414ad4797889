import type { Command } from "commander";
import { removeConfiguration, setConfiguration } from "../../src/accounts/model-configurations.ts";
import { parseModelSettings } from "../../src/accounts/model-settings.ts";
import { clearModel, findOrganization, setModel } from "../../src/accounts/organizations.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { modelUrl, providerNames } from "../../src/agent/models/model-config.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { modelFields, organizationFields } from "./organization-fields.ts";
import { record, table } from "./output.ts";

interface ModelOptions {
  provider: string;
  modelName?: string;
  baseUrl?: string;
  region?: string;
  secret?: string;
  compat?: string;
  idleSeconds?: string;
  disabled?: true;
}

const labels = {
  provider: "--provider",
  model: "--model-name",
  baseUrl: "--base-url",
  region: "--region",
  secret: "--secret",
  compat: "--compat",
  idleSeconds: "--idle-seconds",
};

/** The organization's model in a list of model configurations. The name is reserved. */
const defaultName = "default";

/** Commands for the model configurations of an organization. */
export function addModelCommands(organization: Command, action: Action): void {
  organization
    .command("set-model")
    .description(
      "Set the model that the organization's agents use, or a further one that agents name; turns that have an answer keep the old one.",
    )
    .argument("<ID>", "organization")
    .argument("[NAME]", "name of a further model configuration, such as backup")
    .requiredOption("--provider <NAME>", providerNames.join(", "))
    .option("--model-name <NAME>", "the provider's name of the model")
    .option(
      "--base-url <URL>",
      "address of the server (openai-compatible, openai-responses; optional for anthropic and bedrock)",
    )
    .option("--region <REGION>", "AWS region (bedrock)")
    .option("--secret <SECRET>", "location of the API key: env:NAME or file:PATH, on AWS secretsmanager:NAME")
    .option("--compat <SETTINGS>", "override detected differences of the server: setting=value,… (docs/models.md)")
    .option("--idle-seconds <N>", "seconds without data after which a call fails and is retried (docs/models.md)")
    .option("--disabled", "save the model, but reject new runs until it is set again without --disabled")
    .action(
      action(
        async (
          { accounts, secretProblem, actor },
          id: string,
          name: string | undefined,
          { disabled, modelName, ...options }: ModelOptions,
        ) => {
          const settings = { ...options, ...(modelName !== undefined && { model: modelName }) };
          const model = parseModelSettings(settings, labels, disabled !== true);
          const { secret } = settings;
          const { id: organizationId } = await findOrganization(accounts, id);
          const use = { organizationId, purpose: "model", url: modelUrl(model) } as const;
          const problem = secret === undefined ? undefined : await secretProblem(secret, use);
          if (problem !== undefined) throw new CliError(`--secret ${secret} cannot be used: ${problem}`);
          const changed =
            name === undefined
              ? await setModel(accounts, organizationId, model, await actor())
              : await setConfiguration(accounts, organizationId, name, () => model, await actor());
          return record(organizationFields(changed));
        },
      ),
    );
  organization
    .command("models")
    .description("List the model configurations of an organization.")
    .argument("<ID>", "organization")
    .action(
      action(async ({ accounts }, id: string) => {
        const { model, models = {} } = await findOrganization(accounts, id);
        const named = Object.entries(models).map(row);
        const rows = model ? [row([defaultName, model]), ...named] : named;
        return table(
          rows,
          ["name", "provider", "enabled", "model", "base_url", "region", "secret"],
          "No models. Set one: org set-model ID --provider NAME",
        );
      }),
    );
  organization
    .command("clear-model")
    .description(
      "Remove the model: the organization's agents reject new runs. With a name: remove a further model configuration that no agent names.",
    )
    .argument("<ID>", "organization")
    .argument("[NAME]", "name of a further model configuration")
    .action(
      action(async ({ accounts, actor }, id: string, name: string | undefined) => {
        const changed =
          name === undefined
            ? await clearModel(accounts, id, await actor())
            : await removeConfiguration(accounts, id, name, await actor());
        return record(organizationFields(changed));
      }),
    );
}

function row([name, configuration]: [string, ModelConfiguration]) {
  return { name, ...modelFields(configuration) };
}
