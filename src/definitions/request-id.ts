import { hash } from "node:crypto";

/** What identifies a request of CloudFormation. A request that is delivered again has the same values. */
export interface StackRequest {
  StackId: string;
  LogicalResourceId: string;
  RequestId: string;
}

/**
 * The id of what a request creates: the same for a request that is delivered again, and another one for each other request. It
 * has the form of a random UUID (version 4), as all ids of organizations and agents: version 8 is for copies that do not expire.
 */
export function idOf({ StackId, LogicalResourceId, RequestId }: StackRequest): string {
  const digits = hash("sha256", JSON.stringify([StackId, LogicalResourceId, RequestId]));
  const uuid = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...uuid, digits.slice(20, 32)].join("-");
}
