import { join } from "node:path";
import { CliError } from "../../cli.ts";
import { engineProblem } from "./container-build.ts";
import { mmdebstrapProblems } from "./mmdebstrap.ts";

export const builders = ["docker", "podman", "mmdebstrap"] as const;
export type Builder = (typeof builders)[number];

/** Those that can build an environment, where they work. mmdebstrap reads no Dockerfile and makes no image. */
export function ableBuilders({
  file,
  form,
}: {
  file?: string | undefined;
  form?: string | undefined;
}): readonly Builder[] {
  return file !== undefined || form === "image" ? builders.filter((builder) => builder !== "mmdebstrap") : builders;
}

interface Attempts {
  /** What to try, in this order. */
  builders: readonly Builder[];
  /** All that can build the environment. */
  able: readonly Builder[];
  /** For temporary files. */
  folder: string;
  report: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Builds with the first builder that works, each in a folder of its own. One can be installed and fail: without a connection
 * to the registry of its images, for example.
 */
export async function firstThatWorks<Built>(
  { builders: tried, able, folder, report, signal }: Attempts,
  build: (builder: Builder, folder: string) => Promise<Built>,
): Promise<Built> {
  const problems: string[] = [];
  for (const [index, builder] of tried.entries()) {
    const problem = await problemOf(builder);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    try {
      return await build(builder, join(folder, builder));
    } catch (error) {
      if (!(error instanceof CliError) || signal.aborted) throw error;
      problems.push(error.message);
      const others = tried.slice(index + 1);
      if (others.length > 0) report(`${error.message}. Trying ${others.join(" and ")} instead ...`);
    }
  }
  const others = able.filter((builder) => !tried.includes(builder));
  const remedies = await Promise.all(
    others.map(async (builder) => {
      const problem = await problemOf(builder);
      return `; or use --with ${builder}${problem === undefined ? "" : ` (${problem})`}`;
    }),
  );
  const all = tried.length > 1 ? `none of ${tried.join(", ")} can build the environment here: ` : "";
  throw new CliError(`${all}${problems.join("; ")}${remedies.join("")}`);
}

/** Why a builder cannot be used here, with what to do. Undefined: it can, as far as is known before a build. */
export async function problemOf(builder: Builder): Promise<string | undefined> {
  if (builder !== "mmdebstrap") return engineProblem(builder);
  const problems = await mmdebstrapProblems();
  return problems.length > 0 ? problems.join("; ") : undefined;
}
