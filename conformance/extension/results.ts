import { pollToEnd } from "../client.ts";
import { asObject, type Case, expect, expectEqual } from "../expect.ts";
import type { Target } from "../types.ts";
import { bodyOf, ended, expectCode, ext, newRun, pageOf } from "./client.ts";

const input_text = "Answer with the number 7 and the word seven.";
const schema = {
  type: "object",
  properties: { number: { type: "integer" }, word: { type: "string" } },
  required: ["number", "word"],
  additionalProperties: false,
};

/** Whether the agent accepts schemas of creates. */
async function acceptsSchemas(target: Target): Promise<boolean> {
  const { result } = bodyOf(await ext(target, "GET /agent"), 200);
  return asObject(result)["per_run"] === true;
}

export const resultCases: Case[] = [
  {
    name: "ext results: a run has a result that fits its schema, as v1's output, or says why not",
    async run(target) {
      if (!(await acceptsSchemas(target))) return;
      const { id } = await newRun(target, { input_text, result_schema: schema });
      const { status, output, result, result_error: error } = await ended(target, id);
      expectEqual(status, "finished", "the status");
      const { transcript } = await pollToEnd(target, id);
      expectEqual(transcript.at(-1)?.text, output, "v1's output");
      const { data } = pageOf(await ext(target, `GET /runs/${id}/events?limit=1000`));
      const last = data.findLast(({ type }) => type === "model_call");
      if (result === null) {
        const { message, problems } = asObject(error);
        expect(typeof message === "string" && Array.isArray(problems), "result_error", JSON.stringify(error));
        expectEqual(last?.["result_problems"], problems, "the problems of the last model_call");
        return;
      }
      expectEqual(JSON.parse(String(output)), result, "the output as JSON");
      const { number, word, ...others } = asObject(result);
      expect(Number.isInteger(number) && typeof word === "string", "a result that fits", JSON.stringify(result));
      expectEqual([others, error, last?.["result_problems"]], [{}, null, []], "no other fields, and no problems:");
    },
  },
  {
    name: "ext results: a create with a schema that cannot be used, or that the agent does not accept, is rejected",
    async run(target) {
      const perRun = await acceptsSchemas(target);
      const wrong = { type: "object", properties: { a: { type: "no such type" } } };
      const elsewhere = { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } };
      for (const result_schema of [wrong, elsewhere, { type: "array" }]) {
        const response = await ext(target, "POST /runs", { body: { name: "conformance", result_schema } });
        if (perRun) expectCode(response, 422, "invalid_argument");
        else expectCode(response, 403, "result_schema_not_allowed");
      }
      const noObject = await ext(target, "POST /runs", { body: { name: "conformance", result_schema: "text" } });
      expectCode(noObject, 422, "invalid_request");
    },
  },
  {
    name: "ext results: a run without a schema has no result and no error",
    async run(target) {
      const { result } = bodyOf(await ext(target, "GET /agent"), 200);
      if (asObject(result)["schema"] !== null) return;
      const { id } = await newRun(target, { input_text });
      const response = await ended(target, id);
      expect(response["result"] === null && response["result_error"] === null, "no result", JSON.stringify(response));
    },
  },
];
