// What not every region has.
import type { Account } from "./account.ts";
import { note, ok, type Result, stop } from "./check.ts";
import type { Plan } from "./plan.ts";

const budgetType = "AWS::Budgets::Budget";

/** Settings that leave out a resource type. */
const settingsWithout: [RegExp, string][] = [
  [/^AWS::Lambda::WebFunction/, "set largeBodies to fargate or off"],
  [/^AWS::CloudFront::VpcOrigin$/, "set largeBodies to web-function or off"],
];

/** `missing`: planned resource types that CloudFormation does not know. */
export function missingTypesCheck(missing: string[], { isPrepared }: Pick<Plan, "isPrepared">): Result {
  const required = missing.filter((type) => type !== budgetType);
  if (required.length > 0) {
    const changes = settingsWithout.flatMap(([types, change]) =>
      required.some((type) => types.test(type)) ? change : [],
    );
    const remedy = changes.length > 0 ? changes.join(", and ") : "deploy to another region";
    return stop(`CloudFormation does not know ${required.join(", ")} in this region; ${remedy}`);
  }
  if (missing.length === 0) return ok("available in this region");
  if (isPrepared) {
    return stop("CloudFormation does not know budgets in this region; write the assembly with monthlyBudget=0");
  }
  return note(
    "CloudFormation does not know budgets in this region: the service is deployed without monthlyBudget. A budget covers the " +
      "whole account; create it in the console of AWS Billing",
  );
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
    "available in this region. AWS does not document whether functions with images can have it: if Lambda refuses them, " +
      "set sandboxTenancy to off",
  );
}

/** 18 regions, such as eu-north-1, have no budgets (registry of October 2026). A change set with a budget fails there. */
export function budgetContext({ missingTypes }: Account): string[] {
  return "value" in missingTypes && missingTypes.value.includes(budgetType) ? ["--context", "monthlyBudget=0"] : [];
}
