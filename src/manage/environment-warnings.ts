import type { AgentDefinition } from "../accounts/account-types.ts";
import type { KnownEnvironment } from "../sandbox/linux/linux-types.ts";
import type { ServiceInfo } from "./deps.ts";

const defaultEnvironment = "linux";

/** Why programs of the agent do not run as its definition says. Sentences. None where environments cannot be listed. */
export async function environmentWarnings(
  { environments }: Pick<ServiceInfo, "environments">,
  { tools, environment = defaultEnvironment }: AgentDefinition,
): Promise<string[]> {
  // Without the default environment, run_python works with the standard library.
  const needing = environment === defaultEnvironment ? ["run_shell"] : ["run_shell", "run_python"];
  const affected = needing.filter((name) => tools.includes(name));
  if (affected.length === 0 || !environments) return [];
  const known = await environments();
  const problem = problemOf(known, environment);
  return problem === undefined
    ? []
    : [`${affected.join(" and ")} cannot use the environment ${environment}: ${problem}`];
}

function problemOf(known: KnownEnvironment[], environment: string): string | undefined {
  const found = known.find((each) => nameOf(each) === environment);
  if (found) return "unavailable" in found ? found.unavailable : undefined;
  return `it is not set up here. Known: ${known.map(nameOf).join(", ") || "none"}.`;
}

function nameOf(known: KnownEnvironment): string {
  return "facts" in known ? known.facts.name : known.name;
}
