import { randomUUID } from "node:crypto";
import type { ModelConfiguration } from "../../lambdas/agent/model.ts";
import type { Accounts, Organization } from "../../lambdas/runs/ports.ts";
import { type Command, type Given, normalId, type Output, Problem, required } from "./command.ts";
import { record, table } from "./output.ts";

const maxNameLength = 200;

export const organizationCommands: Command[] = [
  {
    noun: "org",
    verb: "create",
    summary: "makes an organization, without a model yet",
    options: { name: { value: "NAME", required: true } },
    founds: true,
    async run({ accounts }, given) {
      const name = required(given, "name");
      if (name.trim() === "") throw new Problem("--name is blank; give the organization a name");
      if (name.length > maxNameLength) {
        throw new Problem(`--name has ${name.length} characters; it takes at most ${maxNameLength}`);
      }
      return save(accounts, { id: randomUUID(), name });
    },
  },
  {
    noun: "org",
    verb: "list",
    summary: "lists the organizations, oldest first",
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
      provider: { value: "demo|openai-compatible", required: true },
      "base-url": { value: "URL" },
      model: { value: "NAME" },
      secret: { value: "env:NAME|file:PATH" },
      disabled: {},
    },
    async run({ accounts }, given) {
      const model = modelOf(given);
      return save(accounts, { ...(await findOrganization(accounts, given.operand)), model });
    },
  },
  {
    noun: "org",
    verb: "clear-model",
    operand: "ID",
    summary: "takes the model away: its agents accept no more runs",
    async run({ accounts }, { operand }) {
      const { id, name } = await findOrganization(accounts, operand);
      return save(accounts, { id, name });
    },
  },
];

export async function findOrganization(accounts: Accounts, id: string): Promise<Organization> {
  const found = await accounts.findOrganization(normalId(id));
  if (!found) throw new Problem(`there is no organization ${JSON.stringify(id)}; org list shows those there are`);
  return found;
}

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

async function save(accounts: Accounts, organization: Organization): Promise<Output> {
  await accounts.putOrganization(organization);
  return record(fields(organization));
}

function fields({ id, name, model }: Organization) {
  const openai = model?.provider === "openai-compatible" ? model : undefined;
  return {
    id,
    name,
    provider: model?.provider,
    enabled: model?.enabled,
    model: openai?.model,
    base_url: openai?.baseUrl,
    secret: openai?.secret,
  };
}

function modelOf({ options, flags }: Given): ModelConfiguration {
  const { provider, "base-url": baseUrl, model, secret } = options;
  const enabled = !flags.has("disabled");
  if (provider === "demo") {
    if (baseUrl ?? model ?? secret) throw new Problem("--provider demo takes no --base-url, --model or --secret");
    return { provider, enabled };
  }
  if (provider !== "openai-compatible") {
    throw new Problem(`--provider is ${JSON.stringify(provider)}; it takes demo or openai-compatible`);
  }
  if (!/^https?:$/.test(URL.parse(baseUrl ?? "")?.protocol ?? "") || baseUrl === undefined) {
    throw new Problem(
      `--base-url is ${JSON.stringify(baseUrl) ?? "missing"}; give the server's http or https URL, as http://127.0.0.1:11434/v1`,
    );
  }
  if (!model) throw new Problem("--model is missing; give the model's name as the server knows it");
  if (secret !== undefined && !/^(env|file):./.test(secret)) {
    // The value itself may be a key that was pasted here: it is not repeated.
    throw new Problem("--secret says where the provider's key is, not what it is: env:NAME or file:PATH");
  }
  return { provider, enabled, baseUrl, model, ...(secret !== undefined && { secret }) };
}
