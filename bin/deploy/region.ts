// What not every region has.
import { note, ok, type Result, stop } from "./check.ts";
import type { Plan } from "./plan.ts";

/** Settings that leave out a resource type. */
const settingsWithout: [RegExp, string][] = [
  [/^AWS::Lambda::WebFunction/, "set largeBodies to fargate or off"],
  [/^AWS::CloudFront::VpcOrigin$/, "set largeBodies to web-function or off"],
];

/** `missing`: planned resource types that CloudFormation does not know. */
export function missingTypesCheck(missing: string[]): Result {
  if (missing.length === 0) return ok("available in this region");
  const changes = settingsWithout.flatMap(([types, change]) =>
    missing.some((type) => types.test(type)) ? change : [],
  );
  const remedy = changes.length > 0 ? changes.join(", and ") : "deploy to another region";
  return stop(`CloudFormation does not know ${missing.join(", ")} in this region; ${remedy}`);
}

/**
 * Regions without tenant isolation, by AWS's announcement of it (November 2025). CloudFormation's schema of a function is the
 * same in every region, so it does not tell.
 */
const withoutTenancy = /^(ap-southeast-6|us-gov-.*|cn-.*)$/;

export function tenancyCheck({ settings: { sandbox, sandboxTenancy } }: Plan, region: string): Result {
  if (sandboxTenancy === "off") {
    return note("is off: programs of several agents can run in one environment, one after the other; SECURITY.md");
  }
  if (withoutTenancy.test(region)) {
    return stop(`Lambda has no tenant isolation in ${region}; set sandboxTenancy to off, or sandbox to off`);
  }
  if (sandbox === "javascript") return ok("available in this region");
  return ok(
    "available in this region. AWS does not document whether functions with images can have it: if Lambda rejects them, " +
      "set sandboxTenancy to off",
  );
}
