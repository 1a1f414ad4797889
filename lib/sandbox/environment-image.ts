import { appendFileSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Aws, Stack } from "aws-cdk-lib";
import { Repository } from "aws-cdk-lib/aws-ecr";
import { DockerImageAsset, Platform } from "aws-cdk-lib/aws-ecr-assets";
import { Architecture, Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { bundleEnvironmentHandler, environmentFolder, imageContextFolder } from "../bundling.ts";
import { imageOf } from "./environments.ts";

/** Where an image has the function's code. `lambdas/environment.ts` runs nowhere else. */
const handlerFolder = "/usr/share/agent-environment/handler";

const architectures = {
  arm64: { platform: Platform.LINUX_ARM64, architecture: Architecture.ARM_64 },
  x86_64: { platform: Platform.LINUX_AMD64, architecture: Architecture.X86_64 },
};

/** The image of a function. */
export interface Image {
  code: Code;
  architecture: Architecture;
  /** Another image has another one. */
  id: string;
}

/**
 * The image of an environment. A folder is built by `cdk deploy`, with the function's code: see `writeImageContext`. An image
 * in a registry was built from what `npm run synth` writes to `dist/environments/NAME`.
 */
export function environmentImage(
  scope: Construct,
  name: string,
  source: string,
  processor: keyof typeof architectures,
): Image {
  const { platform, architecture } = architectures[processor];
  const found = imageOf(source);
  if (found) {
    const { account, region, repository: repositoryName, digest } = found;
    const repositoryArn = `arn:${Aws.PARTITION}:ecr:${region}:${account}:repository/${repositoryName}`;
    const repository = Repository.fromRepositoryAttributes(scope, `Repository-${name}`, {
      repositoryArn,
      repositoryName,
    });
    return { code: Code.fromEcrImage(repository, { tagOrDigest: digest }), architecture, id: digest.replace(":", "-") };
  }
  const folder = environmentFolder(source);
  const isBuilt = Stack.of(scope).bundlingRequired;
  const context = isBuilt ? imageContextFolder(name) : folder;
  if (isBuilt) writeImageContext(folder, context);
  const asset = new DockerImageAsset(scope, `Image-${name}`, {
    directory: context,
    platform,
    buildArgs: { NAME: name },
    displayName: `the Linux environment ${name}`,
  });
  const code = Code.fromEcrImage(asset.repository, { tagOrDigest: asset.imageTag });
  return { code, architecture, id: asset.assetHash };
}

/**
 * Follows the instructions of an environment's Dockerfile. Node.js is made unreadable, because the kernel then lets no other
 * process read or change the memory of one that runs it: programs of models have the same user as the function, which Lambda
 * chooses. `/work` is the workspace, as on one machine.
 */
const instructions = `
USER root
COPY handler ${handlerFolder}
RUN chmod -R u=rwX,go=rX ${handlerFolder} \\
  && chmod 0111 "$(readlink -f "$(command -v node)")" \\
  && ln -s /tmp/workspace /work
USER 65534
ENTRYPOINT ["node", "${handlerFolder}/index.js"]
CMD []
`;

/** Writes what an image of an environment is built from: its own folder, the function's code, and one Dockerfile of both. */
export function writeImageContext(source: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  cpSync(source, folder, { recursive: true });
  bundleEnvironmentHandler(join(folder, "handler"));
  appendFileSync(join(folder, "Dockerfile"), instructions);
}
