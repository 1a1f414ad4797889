import { hostPattern, maxHosts } from "../../../accounts/account-limits.ts";
import { mcpToolRules } from "../../../agent/ask-kinds.ts";
import { reference } from "../../../http/description.ts";
import { compatSettings, idleSecondsRange } from "../../../agent/model.ts";
import { providerNames } from "../../../agent/models/model-config.ts";
import {
  body,
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  number,
  object,
  oneOfTexts,
  page,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";

const secret =
  "Location of the provider's API key, never the key itself: `env:NAME` or `file:PATH`, on AWS `secretsmanager:NAME`.";
const baseUrl = "Address of the model server. With `anthropic` and `bedrock`, it replaces the provider's.";
const compat =
  "How the server differs from OpenAI's API. Only for `openai-compatible` and `openai-responses`; usually detected.";
const idleSeconds =
  "Seconds without data after which a call of the model fails and is retried. Null: 60 once the answer has begun and 240 before; with `bedrock`, `openai-responses` and Ollama, 240.";
const maxRunning = "Runs of the organization with a turn in progress. Further runs wait. Null: no limit.";
const maxDollars =
  "US dollars of all runs of the organization per day (UTC). Then new inputs are rejected. Null: no limit.";
const maxStoredBytes =
  "Bytes of the files of all runs of the organization together, without old contents. Then creates with files and uploads are rejected, and tools cannot write more. Null: no limit.";
const maxPendingUploadBytes =
  "Bytes of the pending uploads of all agents of the organization together. Then further uploads are rejected. Null: no limit.";
const webFetchHosts =
  "Hosts that `web_fetch` can reach, for agents whose definition names none, such as `docs.example.com` or `*.example.com`. Empty: all.";

const mcpToolPolicy = oneOfTexts(
  "What happens before a tool of an MCP server without `readOnlyHint` runs, if its agent's `toolPolicy` has no rule for it. `ask`: it waits for an approval.",
  mcpToolRules,
);

const name = text("The provider's name of the model.", { minLength: 1, maxLength: 200, examples: ["claude-sonnet-5"] });
const region = text("AWS region of Bedrock.", { minLength: 1, maxLength: 100, examples: ["eu-central-1"] });
const url = text(baseUrl, { minLength: 1, maxLength: 2_000, examples: ["http://127.0.0.1:11434/v1"] });
const location = text(secret, { minLength: 1, maxLength: 2_048, examples: ["env:ANTHROPIC_API_KEY"] });
const provider = oneOfTexts("Where the model runs. `demo` is a scripted model without a network.", providerNames);

type CompatSetting = keyof typeof compatSettings;
const compatChoices = Object.entries<readonly unknown[]>(compatSettings).map(([setting, values]) => {
  return [setting, { enum: values, description: `Default: \`${String(values[0])}\`. See docs/models.md.` }];
});

const ModelCompat = body(
  compat,
  Object.fromEntries(compatChoices) as { [Of in CompatSetting]: { enum: (typeof compatSettings)[Of] } },
);

const modelFields = {
  provider,
  enabled: flag("False: agents that use it cannot start runs."),
  model: nullable(name),
  base_url: nullable(url),
  secret: nullable(location),
  region: nullable(region),
  compat: nullableReference(compat, reference("ModelCompat")),
  idle_seconds: nullable(integer(idleSeconds)),
};

export const organizationSchemas = {
  ModelCompat,
  Model: object("The model of an organization. Fields that its provider does not have are null.", modelFields),
  NamedModel: object("A further model configuration of an organization, for agents that name it.", {
    name: text("Its name: `modelConfiguration` in agent definitions.", { examples: ["backup"] }),
    ...modelFields,
  }),
  ModelSettings: body(
    "A model to set or to test. A field that its provider does not have must be left out or null.",
    {
      provider,
      enabled: flag("False: stored, but agents that use it cannot start runs.", { default: true }),
      model: nullable(name),
      base_url: nullable(url),
      secret: nullable({
        ...location,
        description: `${secret} Null: none. Default: the stored one, while \`provider\` and \`base_url\` stay the same.`,
      }),
      region: nullable(region),
      compat: nullable(ModelCompat),
      idle_seconds: nullable(
        integer(idleSeconds, { minimum: idleSecondsRange.min, maximum: idleSecondsRange.max, examples: [120] }),
      ),
    },
    ["provider"],
    [
      { provider: "anthropic", model: "claude-sonnet-5", secret: "env:ANTHROPIC_API_KEY" },
      { provider: "openai-compatible", base_url: "http://127.0.0.1:11434/v1", model: "qwen3:8b" },
      {
        provider: "openai-responses",
        base_url: "https://api.openai.com/v1",
        model: "gpt-5.1",
        secret: "env:OPENAI_API_KEY",
      },
    ],
  ),
  ModelList: object("The models that a server offers.", {
    data: list("Their names, sorted.", { type: "string" }),
    failure: nullableReference("Why there is no list. Null: there is one.", reference("Failure")),
  }),
  StoreSecretRequest: body(
    "A secret. It is sent to the named hosts only.",
    {
      value: text("The API key or token: one line of printable ASCII characters without spaces, at most 8,192."),
      hosts: list(
        "Where it may be sent, such as `api.openai.com`, or `10.0.0.7:8000` without TLS.",
        {
          type: "string",
          pattern: "^([a-zA-Z0-9_.-]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?$",
          maxLength: 260,
        },
        { minItems: 1, maxItems: 20 },
      ),
    },
    ["value", "hosts"],
    [{ value: "sk-0123456789", hosts: ["api.openai.com"] }],
  ),
  StoredSecret: object("Where a secret is.", {
    secret: text("Its location, for configurations.", { examples: ["secretsmanager:model-key"] }),
  }),
  ModelTest: object("The result of one short call of a model.", {
    ok: flag("Whether the model answered."),
    milliseconds: integer("Duration of the call."),
    model: nullable(text("The provider's name of the model that was called.")),
    text: nullable(text("What the model answered.")),
    usage: nullableReference(
      "Tokens of the call. Null: it failed, or the server reports none.",
      reference("TokenUsage"),
    ),
    failure: nullableReference("Why it failed, as a run would report it.", reference("Failure")),
  }),
  Organization: object("Owner of agents. Holds the model that its agents use.", {
    id: uuid("The organization's ID."),
    name: text("Name for people."),
    model: nullableReference("Null: the organization's agents cannot start runs.", reference("Model")),
    models: list("Further model configurations, by name.", reference("NamedModel")),
    max_running: nullable(integer(maxRunning)),
    max_dollars_per_day: nullable(number(maxDollars)),
    max_stored_bytes: nullable(integer(maxStoredBytes)),
    max_pending_upload_bytes: nullable(integer(maxPendingUploadBytes)),
    web_fetch_hosts: list(webFetchHosts, { type: "string" }),
    mcp_tool_policy: mcpToolPolicy,
    models_stopped_at: nullable(time("Since when no model call of its runs begins. Null: they may.")),
    created_at: nullable(time("When it was created. Null: an earlier release created it.")),
    updated_at: nullable(time("When it last changed.")),
  }),
  OrganizationDeletion: object("What a call of the deletion did.", {
    complete: flag("Whether nothing of the organization is left. False: repeat the call."),
    runs: integer("Runs that this call deleted."),
  }),
  OrganizationPage: page(reference("Organization")),
  CreateOrganizationRequest: body(
    "An organization to create.",
    { name: text("Name for people.", { minLength: 1, maxLength: 200, examples: ["Research"] }) },
    ["name"],
  ),
  UpdateOrganizationRequest: body("The settings of an organization. Fields that are left out keep their value.", {
    max_running: nullable(integer(maxRunning, { minimum: 1, maximum: 100_000 })),
    max_dollars_per_day: nullable(
      number(`${maxDollars} Requires prices in the definitions of all its agents.`, {
        exclusiveMinimum: 0,
        maximum: 1_000_000,
      }),
    ),
    max_stored_bytes: nullable(integer(maxStoredBytes, { minimum: 1, maximum: 1_000_000_000_000_000 })),
    max_pending_upload_bytes: nullable(integer(maxPendingUploadBytes, { minimum: 1, maximum: 1_000_000_000_000_000 })),
    mcp_tool_policy: mcpToolPolicy,
    models_stopped: flag(
      "True: no model call of its runs begins any more, from 5 seconds on, and it gets no runs. Turns that need a model fail, and can be retried. False: they may begin again.",
    ),
  }),
  SetWebFetchRequest: body(
    "What `web_fetch` of the organization's agents can reach.",
    {
      hosts: list(webFetchHosts, { type: "string", pattern: hostPattern }, { maxItems: maxHosts }),
    },
    ["hosts"],
  ),
};
