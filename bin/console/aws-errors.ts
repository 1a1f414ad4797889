import { commandLine } from "../../src/command-line.ts";
import { manageError } from "../../src/manage/manage-errors.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import { isRejectedCredentials } from "../aws.ts";

/** The platform with errors of the operator's credentials that the page can show. The same call succeeds after a login. */
export function explainAwsErrors<Ports extends Platform>(platform: Ports): Ports {
  const { accounts, runs, configurations, deliveries, workspace, workflow, secretProblem, secretOf } = platform;
  return {
    ...platform,
    accounts: explained(accounts),
    runs: explained(runs),
    configurations: explained(configurations),
    deliveries: explained(deliveries),
    workspace: explained(workspace),
    workflow: explained(workflow),
    ...explained({ secretProblem, secretOf }),
  };
}

/** A port whose methods reject with `explain`'s error. */
function explained<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, target, args);
        return result instanceof Promise ? result.catch(rethrow) : result;
      };
    },
  });
}

function rethrow(error: unknown): never {
  throw error instanceof Error ? explain(error) : error;
}

/** The error as the page shows it, if the cause is the operator's credentials or their permissions. */
function explain(error: Error): Error {
  if (isRejectedCredentials(error)) {
    return Object.assign(
      manageError(
        "store_unavailable",
        `AWS rejects your credentials (${error.name}). Run aws sso login, or the command that gave you the credentials, and ` +
          `retry; ${commandLine("console")} can keep running unless the credentials are in its environment variables.`,
      ),
      { cause: error },
    );
  }
  if (/^AccessDenied(Exception)?$/.test(error.name)) {
    const text = `AWS rejected the call: ${error.message}. Your user or role needs the policy in the stack's output OperatorPolicyArn, or ViewerPolicyArn to read.`;
    return Object.assign(manageError("forbidden", text), { cause: error });
  }
  return error;
}
