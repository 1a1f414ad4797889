import { environmentName } from "../../src/sandbox/linux/environment-name.ts";

/** Source of each Linux environment by its name: a folder with a Dockerfile, or an image in Amazon ECR by its digest. */
export type Environments = Record<string, string>;

const folder = /^[\w./-]+$/;
const image =
  /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([a-z0-9][a-z0-9._/-]*)@(sha256:[0-9a-f]{64})$/;

/** From an object, or from `NAME=SOURCE,NAME=SOURCE`. Undefined if it is not accepted. */
export function parseEnvironments(value: unknown): Environments | undefined {
  const entries =
    typeof value === "string" ? value.split(",").map((each) => each.split("=")) : Object.entries(value ?? {});
  const areAccepted = entries.every(
    ([name = "", source]) =>
      environmentName.test(name) && typeof source === "string" && (folder.test(source) || image.test(source)),
  );
  const environments = Object.fromEntries(entries) as Environments;
  return areAccepted && "linux" in environments ? environments : undefined;
}

/** Account, region, repository and digest of an image. Undefined for a folder. */
export function imageOf(source: string) {
  const [, account, region, repository, digest] = image.exec(source) ?? [];
  if (!account || !region || !repository || !digest) return undefined;
  return { account, region, repository, digest };
}
