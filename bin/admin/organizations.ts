import { configurationFields, providerNames } from "../../src/agent/models/model-config.ts";
import type { Accounts, Organization } from "../../src/accounts/types.ts";
import { type Command, type Given, type Home, Problem, required } from "./command.ts";
import { clearModel, createOrganization, findOrganization, setModel } from "../../src/accounts/organizations.ts";
import { formatCompat, modelFromOptions } from "../model-options.ts";
import { record, table } from "./output.ts";

export const organizationCommands: Command[] = [
  {
    noun: "org",
    verb: "create",
    summary: "makes an organization, without a model yet",
    options: { name: { value: "NAME", required: true } },
    needsNoData: true,
    async run({ accounts }, given) {
      return record(fields(await createOrganization(accounts, { name: required(given, "name") })));
    },
  },
  {
    noun: "org",
    verb: "list",
    summary: "lists the organizations",
    async run({ accounts }) {
      const rows = (await accounts.listOrganizations()).map(fields);
      return table(rows, ["id", "name", "provider", "model"], "There is no organization yet: org create --name NAME");
    },
  },
  {
    noun: "org",
    verb: "show",
    operand: "ID",
    summary: "shows an organization and its model",
    run: async ({ accounts }, { operand }) => record(fields(await findOrganization(accounts, operand))),
  },
  {
    noun: "org",
    verb: "set-model",
    operand: "ID",
    summary: "sets the model that the organization's agents run on",
    options: {
      provider: { value: providerNames.join("|"), required: true },
      model: { value: "NAME" },
      "base-url": { value: "URL" },
      region: { value: "REGION" },
      secret: { value: "env:NAME|file:PATH|secretsmanager:NAME" },
      compat: { value: "SETTING=VALUE,…" },
      disabled: {},
    },
    async run(home, given) {
      const model = await modelOf(given, home);
      return record(fields(await setModel(home.accounts, given.operand, model)));
    },
  },
  {
    noun: "org",
    verb: "clear-model",
    operand: "ID",
    summary: "takes the model away: its agents accept no more runs",
    run: async ({ accounts }, { operand }) => record(fields(await clearModel(accounts, operand))),
  },
];

/** The one with this id or, without an id, the only one there is. */
export async function organizationOrOnly(accounts: Accounts, id: string | undefined): Promise<Organization> {
  if (id !== undefined) return findOrganization(accounts, id);
  const all = await accounts.listOrganizations();
  const [only] = all;
  if (!only) throw new Problem("there is no organization yet; make one first: org create --name NAME");
  if (all.length > 1)
    throw new Problem(`there are ${all.length} organizations; say which with --org ID (see org list)`);
  return only;
}

function fields({ id, name, model }: Organization) {
  const { provider, model: defaultModel, baseUrl, region, secret, compat } = model ? configurationFields(model) : {};
  return {
    id,
    name,
    provider,
    enabled: model?.enabled,
    model: defaultModel,
    base_url: baseUrl,
    region,
    secret,
    compat: compat && formatCompat(compat),
  };
}

const flags = {
  provider: "--provider",
  model: "--model",
  baseUrl: "--base-url",
  region: "--region",
  secret: "--secret",
  compat: "--compat",
};

async function modelOf({ options, flags: set }: Given, home: Home): Promise<NonNullable<Organization["model"]>> {
  const { provider, model, "base-url": baseUrl, region, secret, compat } = options;
  const configuration = configurationOf({ provider, model, baseUrl, region, secret, compat }, !set.has("disabled"));
  const problem = secret === undefined ? undefined : await home.secretProblem(secret);
  if (problem !== undefined) throw new Problem(`--secret ${secret} can't be used: ${problem}`);
  return configuration;
}

function configurationOf(given: Parameters<typeof modelFromOptions>[0], enabled: boolean) {
  try {
    return modelFromOptions(given, flags, enabled);
  } catch (error) {
    throw new Problem((error as Error).message);
  }
}
