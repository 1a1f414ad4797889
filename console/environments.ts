import type { Me } from "./api/types.ts";

/** A Linux in which programs of agents run, as the service describes it. */
export type Environment = NonNullable<Me["environments"]>[number];

/** The environment of an agent that names none. */
export const defaultEnvironment = "linux";

/** Tools that run in the environment that the agent names. */
export const environmentTools: ReadonlySet<string> = new Set(["run_shell", "run_python"]);

const engineNames: Record<NonNullable<Environment["engine"]>, string> = {
  bubblewrap: "bubblewrap",
  docker: "Docker",
  podman: "Podman",
  lambda: "AWS Lambda",
};

/** Programs and libraries that people ask for, best known first. The others are counted. */
const wellKnown = {
  programs: ["bash", "gawk", "jq", "sqlite3", "git", "node"],
  libraries: ["numpy", "pandas", "matplotlib", "openpyxl", "pyarrow"],
};

/** "Debian 13 (bubblewrap)" */
export function systemText({ system, engine }: Environment): string {
  return engine === null ? (system ?? "Linux") : `${system ?? "Linux"} (${engineNames[engine]})`;
}

/** "bash 5.2.37, gawk 5.2.1, jq 1.7.1 and 24 more programs" */
function programsText({ programs }: Environment): string {
  return listText(programs ?? {}, wellKnown.programs, "program");
}

/** "Python 3.13.5 with numpy 2.3.1, pandas 2.3.3 and 38 more libraries" */
export function pythonText({ python }: Environment): string {
  if (!python || python.version === "") return "no Python";
  return `Python ${python.version} with ${listText(python.libraries, wellKnown.libraries, "library", "libraries")}`;
}

function listText(versions: Record<string, string>, first: string[], one: string, several = `${one}s`): string {
  const known = first.flatMap((name) => (versions[name] === undefined ? [] : [`${name} ${versions[name]}`]));
  const rest = Object.keys(versions).length - known.length;
  if (known.length === 0) return `${rest} ${rest === 1 ? one : several}`;
  return rest === 0 ? known.join(", ") : `${known.join(", ")} and ${rest} more ${rest === 1 ? one : several}`;
}

/** What the service offers for a tool that runs programs. `isMissing`: the tool cannot be used as the agent names it. */
export interface Offer {
  text: string;
  isMissing: boolean;
}

function contentText(tool: string, environment: Environment): string {
  const system = systemText(environment);
  if (isUndescribed(environment)) return `${system}. What it has is shown after its first program`;
  return tool === "run_shell" ? `${system} with ${programsText(environment)}` : pythonText(environment);
}

/** Whether the service does not know yet what the environment has. */
export function isUndescribed({ programs }: Environment): boolean {
  return programs === null;
}

/**
 * What `run_shell` or `run_python` gets here. `known`: of the service; null where it cannot list them. `name`: of the
 * environment that the agent names. Undefined: nothing is known, or the tool needs no environment.
 */
export function offerFor(tool: string, known: Environment[] | null | undefined, name = ""): Offer | undefined {
  if (!known || !environmentTools.has(tool)) return undefined;
  const wanted = name || defaultEnvironment;
  const found = known.find((each) => each.name === wanted);
  if (found && found.unavailable === null) {
    return { text: `Here: ${contentText(tool, found)}.`, isMissing: false };
  }
  if (tool === "run_python" && wanted === defaultEnvironment) {
    return { text: "Here: Python with its standard library only.", isMissing: false };
  }
  const others = known.map((each) => each.name).join(", ") || "none";
  const reason = found?.unavailable ?? `The environment ${wanted} is not set up. Known: ${others}.`;
  const start = tool === "run_python" ? "Here with the standard library only" : "Not here";
  return { text: `${start}: ${reason}`, isMissing: true };
}
