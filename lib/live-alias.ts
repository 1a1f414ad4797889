import { RemovalPolicy } from "aws-cdk-lib";
import { Alias, type Function, type IFunction, type IVersion } from "aws-cdk-lib/aws-lambda";

/** Name of the alias that callers use. docs/operations.md has commands with it. */
const aliasName = "live";

/**
 * What callers of the function invoke. With `environments` above 0, that is an alias of the version that is deployed, with so many
 * environments that have started before a request comes (provisioned concurrency). Otherwise it is the function itself.
 */
export function liveAlias(fn: Function, environments: number): IFunction {
  if (environments === 0) return fn;
  const version = fn.currentVersion;
  // The versions before stay, so that the alias can go back to them. A deployment that fails removes its own.
  version.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  const alias = new Alias(fn, "Live", {
    aliasName,
    version: version as IVersion, // as Vpc in sandbox.ts
    provisionedConcurrentExecutions: environments,
  });
  return alias as IFunction;
}
