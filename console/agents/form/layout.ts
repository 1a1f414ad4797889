import agentSchema from "../../../schemas/agent.schema.json" with { type: "json" };
import { type Field, fieldsOf, type Words } from "../../form/schema-fields.ts";

const words: Words = {
  labels: {
    mcp: "MCP servers",
    url: "URL",
    limits: "Limits of one turn",
    runLimits: "Limits of the whole run",
    maxRunning: "Runs at a time",
    maxDollarsPerDay: "Dollars per day",
    maxStoredBytes: "Bytes of stored files",
    contextTokens: "Context window",
    runModels: "Models that runs may choose",
    cacheWriteInput: "Cache writes",
    readFile: "Options of read_file",
    pdf: "PDFs",
    webFetch: "Options of web_fetch",
    prices: "Prices per million tokens",
    parameters: "Model parameters",
    schema: "JSON Schema",
    toolPolicy: "Rules for tools",
    withinSeconds: "Seconds to answer",
    keysApprove: "API keys may answer approvals",
    perRun: "Programs may send another schema with a run",
    maxOutputTokens: "Output tokens of one call",
  },
  /** Texts that say more to a person before the form than the schema's description. */
  helps: {
    name: "",
    instructions: "What the model reads before every input.",
    model: "Empty: the configuration’s model.",
    modelConfiguration: "One of the organization’s further model configurations. Empty: its model.",
    fallback:
      "Second model, asked for the rest of a turn when the first one is overloaded, unreachable or sends broken answers.",
    "fallback.modelConfiguration": "Empty: the organization’s model.",
    "fallback.model": "Empty: the configuration’s model.",
    "fallback.parameters": "Empty: the model parameters above, without the service tier.",
    "fallback.contextTokens": "Empty: that of the first model.",
    "parameters.temperature": "0 to 2. Empty: the provider’s default.",
    tools: "",
    toolPolicy:
      "ask: a call waits for an approval. deny: the model does not get the tool. SERVER__* means all tools of an MCP server. Without a rule, a call runs.",
    clientTools:
      "Tools that the caller’s program runs, as a JSON list: name, description, and input, a JSON Schema (2020-12) of an object. A call waits until the program answers.",
    runModels:
      "As a JSON list: name for programs, modelConfiguration or model, prices, parameters, contextTokens. A create names one in place of the agent’s model.",
    answers: "",
    environment: "The Linux in which run_shell and run_python run. Empty: linux.",
    limits: "",
    "result.schema":
      "JSON Schema (2020-12) of an object. The model answers with JSON, which is checked. It writes the fields in this order. Empty: the output is text.",
    "result.perRun": "",
    runLimits: "Empty: no limit. At a limit the model is asked once more for an answer with what it has.",
  },
  terse: ["limits", "runLimits"],
  orders: {
    limits: ["steps", "tokens", "seconds", "dollars", "inputTokens", "outputTokens"],
    runLimits: ["dollars", "steps", "tokens", "seconds", "inputTokens", "outputTokens"],
  },
  entries: {
    mcp: { noun: "server", start: { name: "", url: "" }, names: [] },
    headers: { noun: "header", start: { secret: "", prefix: "Bearer " }, names: ["Authorization", "X-Api-Key"] },
  },
};

/** The fields of an agent file, from its schema. */
export const agentFields = fieldsOf(agentSchema, words);

export function agentField(name: string): Field {
  const found = agentFields.find((field) => field.name === name);
  if (!found) throw new Error(`the agent schema has no field ${name}`);
  return found;
}

/** Fields that are open at once. All others are behind "More settings". */
export const firstFields = ["name", "instructions", "model", "tools", "environment", "limits", "runLimits"];
