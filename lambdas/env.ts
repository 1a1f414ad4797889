/**
 * Every name that the Lambda functions read from their environment. `lib/` sets these names and no others; a grant
 * gives a permission and its name together.
 */
export const envNames = ["TABLE_NAME", "BUCKET_NAME", "STATE_MACHINE_ARN"] as const;

export type EnvName = (typeof envNames)[number];

/** The value of an environment variable. Throws when it is missing or empty, so that the function does not start. */
export function env(name: EnvName): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(
    `The environment variable ${name} is ${value === undefined ? "missing" : "empty"}. ` +
      `A function gets it with its permission: see the grants in lib/ and deploy again.`,
  );
}
