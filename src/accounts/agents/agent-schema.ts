import { serviceTiers } from "../../agent/model.ts";
import { defaultTools, toolDefinitions } from "../../agent/tools/definitions.ts";
import { toolRules } from "../../agent/ask-kinds.ts";
import type { Schema } from "../../json-schema.ts";
import { environmentName } from "../../sandbox/linux/environment-name.ts";
import {
  answerSeconds,
  configurationName,
  hostPattern,
  maxClientTools,
  maxHosts,
  maxRunModels,
  maxToolRules,
} from "../account-limits.ts";

/** Settings that belong to one model, so that a fallback has its own. */
const model = {
  description: "Model of the configuration's provider. Default: the configuration's model.",
  type: "string",
  minLength: 1,
  maxLength: 200,
} as const satisfies Schema;

const modelConfiguration = {
  description: "Name of one of the organization's further model configurations. Default: the organization's model.",
  type: "string",
  pattern: configurationName,
} as const satisfies Schema;

const prices = {
  description:
    "Prices of the model in US dollars per million tokens. Used for `dollars` limits and for the cost of runs.",
  type: "object",
  required: ["input", "output"],
  additionalProperties: false,
  properties: {
    input: { description: "Input tokens.", type: "number", minimum: 0, maximum: 100_000 },
    cachedInput: {
      description: "Input tokens read from the provider's cache. Default: the price of `input`.",
      type: "number",
      minimum: 0,
      maximum: 100_000,
    },
    cacheWriteInput: {
      description: "Input tokens written to the provider's cache. Default: 1.25 times `input`, Anthropic's price.",
      type: "number",
      minimum: 0,
      maximum: 100_000,
    },
    output: { description: "Output tokens.", type: "number", minimum: 0, maximum: 100_000 },
  },
} as const satisfies Schema;

const parameters = {
  description: "Model parameters. Default: the provider's.",
  type: "object",
  additionalProperties: false,
  properties: {
    temperature: { description: "Sampling temperature.", type: "number", minimum: 0, maximum: 2 },
    maxOutputTokens: {
      description: "Maximum output tokens of one model call.",
      type: "integer",
      minimum: 1,
      maximum: 1_000_000,
    },
    reasoningEffort: { description: "Reasoning effort.", enum: ["low", "medium", "high"] },
    serviceTier: {
      description:
        "Service tier, where the provider has several: its price and speed. Set `prices` to those of the tier. Default: the provider's.",
      enum: serviceTiers,
    },
  },
} as const satisfies Schema;

const contextTokens = {
  description: "Context window of the model in tokens. Near it, the conversation is compacted. Default: 128000.",
  type: "integer",
  minimum: 2_000,
  maximum: 10_000_000,
} as const satisfies Schema;

/** The schema of agent files: `npm run generate` writes it to `schemas/agent.schema.json`. */
export const agentDefinition = {
  description: "Definition of an agent, for `npm run -s admin -- agent create --file agent.json`.",
  type: "object",
  required: ["name", "instructions"],
  additionalProperties: false,
  properties: {
    $schema: { description: "Location of this schema, for editors. Not stored.", type: "string" },
    name: { description: "Name of the agent, for operators.", type: "string", minLength: 1, maxLength: 200 },
    instructions: { description: "System prompt.", type: "string", minLength: 1, maxLength: 100_000 },
    modelConfiguration,
    model,
    runModels: {
      description:
        "Models that a run can use in place of the agent's: a program chooses one by its name when it creates the run. Default: none.",
      type: "array",
      maxItems: maxRunModels,
      items: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        minProperties: 2,
        properties: {
          name: { description: "Name for programs. Must be unique.", type: "string", pattern: configurationName },
          modelConfiguration,
          model,
          prices: { ...prices, description: "Prices of the model, as in `prices`. Required if `prices` is set." },
          parameters: {
            ...parameters,
            description: "Parameters of the model. Default: `parameters`, without `serviceTier`.",
          },
          contextTokens: {
            ...contextTokens,
            description: "Context window of the model in tokens. Default: `contextTokens`.",
          },
        },
      },
    },
    fallback: {
      description:
        "Second model. It is asked for the rest of the turn after the retries of the first one, if that is overloaded, unreachable or sends broken answers. Default: none.",
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      properties: {
        modelConfiguration,
        model,
        prices: { ...prices, description: "Prices of the fallback, as in `prices`. Required if `prices` is set." },
        parameters: {
          ...parameters,
          description: "Parameters of the fallback. Default: `parameters`, without `serviceTier`.",
        },
        contextTokens: {
          ...contextTokens,
          description: "Context window of the fallback in tokens. Default: `contextTokens`.",
        },
      },
    },
    tools: {
      description:
        "Tools that the model can call. Default: all but run_shell, web_fetch and ask_person. Empty: no tools.",
      type: "array",
      uniqueItems: true,
      items: { type: "string", enum: toolDefinitions.map(({ name }) => name) },
      default: defaultTools,
    },
    environment: {
      description:
        "Environment in which run_shell and run_python run: one that the operator has set up. Default: linux.",
      type: "string",
      pattern: environmentName.source,
    },
    mcp: {
      description: "MCP servers (streamable HTTP). The model sees their tools as SERVER__TOOL.",
      type: "array",
      maxItems: 10,
      items: {
        type: "object",
        required: ["name", "url"],
        additionalProperties: false,
        properties: {
          name: {
            description: "Prefix of the tools' names. Must be unique.",
            type: "string",
            pattern: "^[a-z][a-z0-9-]{0,19}$",
          },
          url: {
            description:
              "Address of the server. On AWS it must be public, unless the deployment allows private addresses.",
            type: "string",
            pattern: "^https?://[^/]",
            maxLength: 2_000,
          },
          headers: {
            description: "Headers of every request. The value is `prefix` (such as `Bearer `) followed by the secret.",
            type: "object",
            maxProperties: 20,
            propertyNames: { pattern: "^[A-Za-z0-9-]{1,100}$" },
            additionalProperties: {
              type: "object",
              required: ["secret"],
              additionalProperties: false,
              properties: {
                secret: {
                  description:
                    "Location of the value: env:NAME or file:PATH, on AWS secretsmanager:NAME (docs/secrets.md).",
                  type: "string",
                  minLength: 1,
                  maxLength: 2048,
                },
                prefix: { type: "string", maxLength: 100 },
              },
            },
          },
          tools: {
            description: "Tools of the server that the model can call. Default: all.",
            type: "array",
            uniqueItems: true,
            items: { type: "string", minLength: 1, maxLength: 200 },
          },
          seconds: {
            description:
              "Seconds that a call waits for its result, or for the next progress that the server reports. Default: 120.",
            type: "integer",
            minimum: 1,
            maximum: 3_600,
          },
          instructions: {
            description: "Whether the model reads the instructions of the server, at most 2 KB. Default: true.",
            type: "boolean",
          },
        },
      },
    },
    toolPolicy: {
      description:
        "What happens before a tool runs, by its name: `allow`, `ask` for an approval, or `deny`, which hides it from the model. SERVER__* means all tools of an MCP server. Default: allow.",
      type: "object",
      maxProperties: maxToolRules,
      propertyNames: { type: "string", pattern: "^[^*]{1,250}(__\\*)?$" },
      additionalProperties: { type: "string", enum: toolRules },
    },
    clientTools: {
      description: "Tools that the caller's program runs: a call waits until the program answers it.",
      type: "array",
      maxItems: maxClientTools,
      items: {
        type: "object",
        required: ["name", "description", "input"],
        additionalProperties: false,
        properties: {
          name: {
            description: "Name of the tool. Must be unique.",
            type: "string",
            pattern: "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$",
          },
          description: { description: "What it does, for the model.", type: "string", minLength: 1, maxLength: 10_000 },
          input: { description: "JSON Schema (2020-12 or draft-07) of the arguments, an object.", type: "object" },
        },
      },
    },
    answers: {
      description: "Answers to tool calls that wait for an approval, a program or a person.",
      type: "object",
      additionalProperties: false,
      properties: {
        withinSeconds: {
          description:
            "Seconds that a call waits. Then it is denied or not available, and the turn continues. Default: 86400.",
          type: "integer",
          minimum: answerSeconds.least,
          maximum: answerSeconds.most,
        },
        keysApprove: {
          description: "Whether API keys of the agent may answer approvals. Default: only operators.",
          type: "boolean",
        },
      },
    },
    readFile: {
      description: "Options of the tool read_file.",
      type: "object",
      additionalProperties: false,
      properties: {
        pdf: {
          description:
            "How PDFs are read: their `text`, or their `pages` as they are, if all models of the agent accept PDFs. Default: text.",
          enum: ["text", "pages"],
        },
      },
    },
    webFetch: {
      description: "Options of the tool web_fetch.",
      type: "object",
      additionalProperties: false,
      properties: {
        privateAddresses: {
          description: "Whether web_fetch can connect to private addresses. The deployment must also allow it.",
          type: "boolean",
        },
        hosts: {
          description:
            "The hosts that web_fetch can connect to, such as docs.example.com, or *.example.com for all below example.com. Empty: those of the organization, or all if it names none.",
          type: "array",
          maxItems: maxHosts,
          items: { type: "string", pattern: hostPattern },
        },
      },
    },
    limits: {
      description:
        "Limits of one turn. When a limit is reached, one more model call without tools asks for a final answer.",
      type: "object",
      additionalProperties: false,
      default: {},
      properties: {
        steps: { description: "Model calls.", type: "integer", minimum: 1, maximum: 1_000, default: 50 },
        tokens: {
          description: "Input and output tokens of all model calls.",
          type: "integer",
          minimum: 1,
          maximum: 1_000_000_000,
          default: 500_000,
        },
        seconds: { description: "Elapsed seconds.", type: "integer", minimum: 1, maximum: 86400, default: 1800 },
        inputTokens: {
          description: "Input tokens of all model calls. Default: no limit.",
          type: "integer",
          minimum: 1,
          maximum: 1_000_000_000,
        },
        outputTokens: {
          description: "Output tokens of all model calls. Default: no limit.",
          type: "integer",
          minimum: 1,
          maximum: 1_000_000_000,
        },
        dollars: {
          description: "Cost in US dollars. Requires `prices`. Default: no limit.",
          type: "number",
          exclusiveMinimum: 0,
          maximum: 1_000_000,
        },
      },
    },
    runLimits: {
      description: "Limits of all turns of a run together. Default: no limits.",
      type: "object",
      additionalProperties: false,
      properties: {
        steps: { description: "Model calls.", type: "integer", minimum: 1, maximum: 1_000_000 },
        tokens: { description: "Input and output tokens.", type: "integer", minimum: 1, maximum: 1_000_000_000 },
        inputTokens: { description: "Input tokens.", type: "integer", minimum: 1, maximum: 1_000_000_000 },
        outputTokens: { description: "Output tokens.", type: "integer", minimum: 1, maximum: 1_000_000_000 },
        seconds: {
          description: "Elapsed seconds of the turns, without the time between turns.",
          type: "integer",
          minimum: 1,
          maximum: 31536000,
        },
        dollars: {
          description: "Cost in US dollars. Requires `prices`.",
          type: "number",
          exclusiveMinimum: 0,
          maximum: 1_000_000,
        },
      },
    },
    maxRunning: {
      description: "Runs of the agent with a turn in progress. Further runs wait. Default: no limit.",
      type: "integer",
      minimum: 1,
      maximum: 100_000,
    },
    maxDollarsPerDay: {
      description:
        "Cost in US dollars of all runs of the agent per day (UTC). Then new inputs are rejected (429). Turns in progress reserve what a turn costs: further runs wait if nothing is left. Requires `prices`. Default: no limit.",
      type: "number",
      exclusiveMinimum: 0,
      maximum: 1_000_000,
    },
    maxStoredBytes: {
      description:
        "Bytes of the files of all runs of the agent together, without old contents. Then creates with files and uploads are rejected (429), and tools cannot write more. Default: no limit.",
      type: "integer",
      minimum: 1,
      maximum: 1_000_000_000_000_000,
    },
    keepDays: {
      description:
        "Days after its last change that a run is deleted, with its texts and files. A run in progress is kept. Default: runs are kept. Not on AWS, where the setting `retentionDays` is for all runs.",
      type: "integer",
      minimum: 1,
      maximum: 3650,
    },
    allowDelete: {
      description: "Whether programs may delete the agent's runs with its API key. Default: false.",
      type: "boolean",
    },
    prices,
    parameters,
    recordReasoning: {
      description:
        "Whether the model's reasoning is recorded for readers of a run, if the provider sends it. Reasoning that the provider needs back is sent back in any case. Default: true.",
      type: "boolean",
    },
    result: {
      description: "Result of a turn: JSON that fits a schema, instead of text.",
      type: "object",
      additionalProperties: false,
      properties: {
        schema: {
          description:
            "JSON Schema (2020-12 or draft-07) of an object. The model is made to answer with it, and each result is checked. Default: the output is text.",
          type: "object",
        },
        perRun: {
          description:
            "Whether programs may send another schema with a create (`result_schema` in the extension API). Default: false.",
          type: "boolean",
        },
      },
    },
    contextTokens,
  },
} as const satisfies Schema;
