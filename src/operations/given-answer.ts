import { ServiceError } from "../errors.ts";
import { type FileInput, base64Uploads } from "../http/validation/base64-files.ts";
import type { SharedSchemas } from "../http/rest/schemas/schema-types.ts";
import type { GivenAnswer } from "../runs/control/answer-call.ts";

/** The body of a request that answers a call. Its schema names that of files, whose type is here. */
export interface AnswerBody extends Omit<SharedSchemas["AnswerCallRequest"], "files"> {
  files?: FileInput[];
}

/** Characters of an output. It is recorded, and the model gets the beginning and the end of a long one. */
const maxOutput = 1_000_000;

/** The answer in a request. Throws for what its schema cannot express. */
export function givenAnswer(body: AnswerBody): GivenAnswer {
  const { call, arguments_sha256: argumentsHash, files = [] } = body;
  return { call, argumentsHash, answer: answerIn(body), files: base64Uploads(files) };
}

function answerIn({ decision, reason, output, error, files = [] }: AnswerBody): GivenAnswer["answer"] {
  const given = Object.entries({ decision, output, error }).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const received = given.length === 0 ? "none of them" : given.map(([name]) => name).join(" and ");
    throw new ServiceError("invalid_argument", `an answer has one of decision, output and error; received ${received}`);
  }
  if (reason !== undefined && decision !== "deny") {
    throw new ServiceError("invalid_argument", 'reason belongs to the decision "deny"');
  }
  if (files.length > 0 && output === undefined) throw new ServiceError("invalid_argument", "files belong to an output");
  if (decision === "allow") return { kind: "allow" };
  if (decision === "deny") return { kind: "deny", ...(reason && { reason }) };
  if (error !== undefined) return { kind: "error", text: error };
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text.length <= maxOutput) return { kind: "output", text };
  throw new ServiceError(
    "invalid_argument",
    `output has ${text.length} characters; at most ${maxOutput} are accepted; send a long text as a file`,
  );
}
