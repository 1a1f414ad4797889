import { fileName, idParameter, parameter } from "../../../http/rest/parameters.ts";

/** Parameters of paths, by name. */
export const pathParameters = {
  run_id: idParameter("The run's ID: `agent_id` in v1."),
  upload_id: idParameter("The upload's ID."),
  name: fileName,
};

/** The header that makes a create safe to repeat. */
export const idempotencyKey = {
  "Idempotency-Key": parameter(
    "1 to 255 visible ASCII characters, of your choice, unique per run and agent; a UUID is a good choice. A repeated create with the same key and body responds with the run of the first one. Keys are kept as long as their run.",
    { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$", examples: ["order-4711"] },
  ),
};
