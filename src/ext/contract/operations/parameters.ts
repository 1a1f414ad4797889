import { fileName, idParameter, tokenId } from "../../../http/rest/parameters.ts";

/** Parameters of paths, by name. */
export const pathParameters = {
  run_id: idParameter("The run's ID: `agent_id` in v1."),
  upload_id: idParameter("The upload's ID."),
  token_id: tokenId,
  name: fileName,
};
