import { fileName, idempotencyKey, idParameter, tokenId } from "../../../http/rest/parameters.ts";

/** Parameters of paths, by name. */
export const pathParameters = {
  run_id: idParameter("The run's ID: `agent_id` in v1."),
  upload_id: idParameter("The upload's ID."),
  token_id: tokenId,
  name: fileName,
};

/** Which of the key's agents is meant. `without`: what it means to leave it out. */
export const templateId = (without: string) => idParameter(`An agent of the key. Left out: ${without}.`);

/** The header that makes a create safe to repeat. */
export const createKey = idempotencyKey(
  "Unique per agent. A repeated create with the same key and body responds with the run of the first one. Keys are kept as long as their run.",
);
