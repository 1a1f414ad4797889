import {
  flag,
  integer,
  list,
  nullable,
  object,
  oneOfTexts,
  text,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { reference } from "../../../http/description.ts";

export const keyAgentSchemas = {
  Agent: object("An agent of the key.", {
    id: uuid("The agent's ID: `template_id` in v1."),
    name: text("Name."),
    status: oneOfTexts("Only an active agent accepts new runs.", ["active", "archived"]),
    model: nullable(text("The model that new turns use. Null: the organization has none.")),
    tools: list("Names of the built-in tools that the agent may call.", { type: "string" }),
    client_tools: list(
      "Tools that your program runs: it answers their calls.",
      object("A tool.", {
        name: text("Name."),
        description: text("What it does, as the model reads it."),
        input: { type: "object", description: "JSON Schema of the arguments.", additionalProperties: true },
      }),
    ),
    run_models: list("Names of the models that a create may choose as `model`.", { type: "string" }),
    limits: object("Limits of new turns.", { turn: reference("Limits"), run: reference("Limits") }),
    result: object("What new runs return.", {
      schema: {
        type: ["object", "null"],
        description: "JSON Schema of their results. Null: their output is text.",
        additionalProperties: true,
      },
      per_run: flag("Whether a create may have another one, as `result_schema`."),
    }),
    max_inline_bytes: integer("Bytes of all `files` of a create together."),
    wait_seconds: integer(
      `Seconds that clients let a read of a run wait (\`wait\`). 0: they poll, because each wait occupies a function; \`wait\` works, too.`,
    ),
    max_upload_bytes: integer("Bytes of one upload. 0: this service accepts none."),
    pending_uploads: nullable(
      object(
        "Uploads that have not expired, also those that a create has named. Null: this service does not limit those of one agent.",
        {
          uploads: integer("Their number."),
          bytes: integer("Bytes of all together."),
          max_uploads: integer("The largest number. Further uploads are 429 with `too_many_uploads`."),
          max_bytes: integer("The most bytes of all together."),
        },
      ),
    ),
    webhook: object("The agent's webhook.", {
      configured: flag("Whether there is one, whose secret signs the messages of runs with a `webhook`."),
    }),
    key_agents: list("IDs of all agents of the key, its first one first.", { type: "string", format: "uuid" }),
  }),
};
