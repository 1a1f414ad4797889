import { reference } from "../../../http/description.ts";
import { attachment } from "../../../http/rest/schemas/event-schemas.ts";
import {
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  object,
  oneOfTexts,
  sha256,
  text,
} from "../../../http/rest/schemas/schema-builders.ts";

export const modelRequestSchemas = {
  ModelRequest: object("The request that the model was sent in a step, rebuilt from the record.", {
    instructions: text("System prompt."),
    messages: list("Oldest first.", reference("Message")),
    tools: list("The tools that the model could call.", reference("ToolDefinition")),
    parameters: nullableReference("Model parameters, as in the agent definition.", {
      type: "object",
      additionalProperties: true,
    }),
    provider: nullable(text("The provider.")),
    model: nullable(text("The model.")),
    context_tokens: integer("The context window that the turn plans with."),
    configuration: sha256("SHA-256 of what the turn runs on."),
    environment: nullableReference(
      "The environment in which the turn's programs run. Null: it has none, or it is not recorded.",
      reference("UsedEnvironment"),
    ),
  }),
  SentRequest: object(
    "The HTTP request of a step as the provider was sent it, rebuilt from the record, and what came back.",
    {
      url: text("Where it was sent."),
      headers: {
        type: "object",
        description: "Headers. In place of the key is the name of a variable.",
        additionalProperties: { type: "string" },
        examples: [{ "content-type": "application/json", authorization: "Bearer $MODEL_API_KEY" }],
      },
      body: text("The body, which is JSON."),
      exact: nullable(
        flag("Whether the body is byte for byte the one that was sent, by its SHA-256. Null: that was not recorded."),
      ),
      attempts: list(
        "The HTTP requests of the step, oldest first, as far as they are recorded.",
        reference("SentAttempt"),
      ),
      response: nullableReference("Null: there was none, or it is not recorded.", reference("ProviderResponse")),
    },
  ),
  SentAttempt: object("One HTTP request of a model call.", {
    sha256: sha256("SHA-256 of the body."),
    bytes: integer("Bytes of the body."),
    status: nullable(integer("HTTP status. Null: no response came.")),
    request_id: nullable(text("The provider's id of the request. Null: it sent none.")),
    compat: {
      type: "object",
      description: "Settings of the model server in force that differ from the default.",
      additionalProperties: true,
      examples: [{ maxTokensField: "max_completion_tokens" }],
    },
    calls_as_text: flag("Tool calls and results of the conversation were sent as text."),
    without_files: flag("A sentence was in place of each file that the model would see as it is."),
    without_cache_points: flag("The request had no cache points."),
    failure: nullable(text("Why the call that it belongs to failed. Null: it was answered.")),
  }),
  ProviderResponse: object("What the provider says about its response, unchanged.", {
    id: nullable(text("Its id.")),
    model: nullable(text("The model that answered.")),
    finish_reason: nullable(text("Why the model stopped.")),
    usage: nullableReference("The object with token counts. Null: there was none, or it was too long.", {
      type: "object",
      additionalProperties: true,
    }),
  }),
  UsedEnvironment: object("An environment as a turn used it.", {
    name: text("As agent files name it.", { examples: ["linux"] }),
    engine: oneOfTexts("What ran its programs.", ["bubblewrap", "docker", "podman", "lambda"]),
    digest: text("Identifies its content: `sha256:` and 64 hex digits."),
  }),
  ToolDefinition: object("A tool as the model sees it.", {
    name: text("Name."),
    description: text("What it does."),
    input_schema: { type: "object", description: "JSON Schema of its arguments.", additionalProperties: true },
  }),
  Message: {
    description: "A message of a conversation.",
    oneOf: (["User", "Assistant", "Tool"] as const).map((name) => reference(`${name}Message`)),
  },
  UserMessage: object("An input, or a note of the service.", {
    role: { type: "string", const: "user", description: "Who wrote it." },
    text: text("The text."),
    note: flag("Written by the service itself."),
    attachments: list("Files that the model sees as they are.", attachment),
  }),
  AssistantMessage: object("An answer of the model.", {
    role: { type: "string", const: "assistant", description: "Who wrote it." },
    text: text("The text."),
    tool_calls: list("The tool calls that it asks for.", reference("ToolCall")),
  }),
  ToolMessage: object("The results of the tool calls of one answer.", {
    role: { type: "string", const: "tool", description: "Who wrote it." },
    results: list(
      "In the order of the calls.",
      object("One result.", {
        name: text("Name of the tool."),
        text: text("The result."),
        is_error: flag("Whether the call failed."),
        attachments: list("Files that the model sees as they are.", attachment),
      }),
    ),
  }),
};
