import { pathParameters } from "../../ext/contract/operations/parameters.ts";
import { newRunKey } from "../../operations/parameters.ts";
import { ownRunSchemas } from "../../ext/contract/schemas/run-schemas.ts";
import { fileName } from "../../http/rest/parameters.ts";
import { runPartSchemas } from "../../http/rest/schemas/run-schemas.ts";
import { body, integer, list, number, object, text } from "../../http/rest/schemas/schema-builders.ts";
import type { Schema, SchemaTypes } from "../../json-schema.ts";

/*
 * The inputs of the tools: fields and limits are those of the extension API. Models read the descriptions, so they say what
 * to write instead of what the service does with it.
 */

// The address names the agent, and a model has no browser to give a token to.
const { template_id: _ofAddress, token: _ofBrowsers, ...create } = ownRunSchemas.CreateRunRequest.properties;
const { filename, content_base64 } = ownRunSchemas.FileInput.properties;
const answer = runPartSchemas.AnswerCallRequest.properties;
const { input_text } = runPartSchemas.CreateInputRequest.properties;
const { pattern: _ofHeaders, ...keyLengths } = newRunKey["Idempotency-Key"].schema;

/** Without the examples, which cost tokens in every conversation. */
const withoutExamples = <const S extends object>(schema: S): S =>
  JSON.parse(JSON.stringify(schema, (name, value: unknown) => (name === "examples" ? undefined : value))) as S;

const described = <const S extends Schema>(description: string, schema: S) => ({
  ...withoutExamples(schema),
  description,
});

const run_id = described("The run_id of start_run.", pathParameters.run_id.schema);
const onlyRunId = body("A run.", { run_id }, ["run_id"]);

const newFile = body(
  "A file: give either text or content_base64.",
  {
    filename: described("The file's name, such as q3.csv.", filename),
    text: text("Content of a text file."),
    content_base64: described("Content of any other file, as standard base64.", content_base64),
  },
  ["filename"],
);

const limits = withoutExamples(runPartSchemas.LimitsInput);

/** By the name of the tool, and of requests about a task. `scripts/build-validators.ts` compiles them. */
export const inputs = {
  start_run: body(
    "A new run.",
    {
      ...withoutExamples(create),
      name: described("Short title for people.", create.name),
      input_text: described("The task, with everything that the agent has to know.", input_text),
      files: list("Files for the run.", newFile, { maxItems: create.files.maxItems, default: [] }),
      uploads: { ...described("Ids of files that were uploaded before.", create.uploads), default: [] },
      labels: described("Texts by name, to find the run again.", create.labels),
      model: described("Another model than the agent's.", create.model),
      limits: described(
        "If the user asks for limits below the agent's: turn and run, each with steps, tokens, seconds or dollars.",
        {
          ...create.limits,
          properties: { turn: limits, run: limits },
        },
      ),
      result_schema: described("JSON Schema of the result, in place of the agent's.", create.result_schema),
      webhook: described("If the user asks for a report of the end: its url.", create.webhook),
      idempotency_key: described(
        "A unique text. Repeating the same call with it returns the same run, for when no answer came.",
        keyLengths,
      ),
    },
    ["name", "input_text"],
  ),
  wait_for_run: body(
    "A wait.",
    { run_id, seconds: number("A shorter wait, if your tool calls time out earlier.", { minimum: 1 }) },
    ["run_id"],
  ),
  get_run: body(
    "A run.",
    { run_id, output_offset: integer("Characters of the output to skip.", { minimum: 0, default: 0 }) },
    ["run_id"],
  ),
  send_input: body(
    "An input.",
    {
      run_id,
      input_text: described("The input.", input_text),
      idempotency_key: described(
        "A unique text. Repeating the same call with it sends the input once, for when no answer came.",
        keyLengths,
      ),
    },
    ["run_id", "input_text"],
  ),
  answer_call: body(
    "An answer.",
    {
      run_id,
      call: described("Its id in open_calls.", answer.call),
      arguments_sha256: described("As in open_calls.", answer.arguments_sha256),
      decision: described("For an approval.", answer.decision),
      reason: described("With deny: why.", answer.reason),
      output: described("For a client_tool or a question: the result, text or JSON.", answer.output),
      error: described("Instead of output: why there is none.", answer.error),
    },
    ["run_id", "call", "arguments_sha256"],
  ),
  stop_run: onlyRunId,
  list_files: body(
    "Files of a run.",
    {
      run_id,
      prefix: text("Only files whose names begin with this, such as reports/.", {
        maxLength: fileName.schema.maxLength,
        default: "",
      }),
    },
    ["run_id"],
  ),
  read_file: body(
    "A file of a run.",
    {
      run_id,
      name: described("The file's name, as list_files returns it.", fileName.schema),
      offset: integer("Characters of the text to skip.", { minimum: 0, default: 0 }),
    },
    ["run_id", "name"],
  ),
  task: object("A task.", { taskId: text("Its ID: that of its run.", { maxLength: 100 }) }),
};

/** The valid inputs. */
export type Inputs = SchemaTypes<typeof inputs>;
