import { reference } from "../../../http/description.ts";
import { attachment } from "../../../http/rest/schemas/events.ts";
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
} from "../../../http/rest/schemas/schema.ts";

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
