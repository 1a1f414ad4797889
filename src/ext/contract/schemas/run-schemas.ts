import { PublicAgentFileInput, PublicCreateAgentRequest } from "../../../v1/contract.ts";
import { reference } from "../../../http/description.ts";
import {
  createdFields,
  newRunFields,
  runFields,
  starterKind,
  tokenLifetime,
  turnFields,
} from "../../../http/rest/schemas/run-schemas.ts";
import {
  body,
  list,
  nullable,
  nullableReference,
  object,
  oneOfTexts,
  page,
  text,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { newRunLimits } from "../../../runs/begin/new-run-limits.ts";

const { name, template_id, input_text } = PublicCreateAgentRequest.properties;

const run = {
  ...runFields,
  template_id: uuid("Its agent."),
  webhook: nullable(
    oneOfTexts(
      "Where the ends of turns are reported: to the agent's webhook, or to the URL of the create. Null: nowhere.",
      ["agent", "run"],
    ),
  ),
  started_by: nullableReference("Who created it. Null: an earlier release did.", reference("Starter")),
};

export const ownRunSchemas = {
  Run: object("One execution of the agent.", run),
  Starter: object("Who created a run.", {
    kind: starterKind,
    name: nullable(text("The name of the key. Null: it has none, or an operator created the run.")),
  }),
  RunPage: page(reference("Run")),
  CreatedRun: object("A run that was created, with the names of its files.", {
    ...run,
    ...createdFields,
    token: nullableReference("The token that `token` asked for. Null: none was.", reference("CreatedRunToken")),
  }),
  RunDetail: object("One execution of the agent, with its output and the limits of its turn.", {
    ...run,
    ...turnFields,
    output: nullable(text("Output of the last turn that ended. Null: none ended, or it has no output.")),
    result: {
      type: ["object", "null"],
      description:
        "The output as JSON, if the agent has a schema for its results and the output fits it. Null also while a turn is in progress.",
      additionalProperties: true,
    },
  }),
  CreateRunRequest: body(
    "A run to create, with its first input and files. The fields of v1 mean the same as there.",
    {
      name,
      template_id: { ...template_id, description: "The agent, one of the key's. Default: the key's first one." },
      input_text,
      uploads: list(
        `Uploads, by \`upload_id\`. With \`files\`, at most ${newRunLimits.files} together.`,
        uuid("The upload's ID."),
        { maxItems: newRunLimits.files },
      ),
      ...newRunFields,
      token: body(
        "Asks for a token that reads the run, such as for a browser. Each repetition of the create gets another one.",
        {
          expires_in: tokenLifetime,
        },
      ),
    },
    ["name"],
  ),
  FileInput: { ...PublicAgentFileInput, additionalProperties: false },
};
