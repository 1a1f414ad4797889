import { log } from "../../../log.ts";
import { type ClientSettings, loadS3Client } from "../sdk/clients.ts";
import { parseFacts } from "../../../sandbox/linux/bubblewrap/probe.ts";
import {
  defaultEnvironment,
  type EnvironmentFacts,
  type KnownEnvironment,
} from "../../../sandbox/linux/linux-types.ts";
import type { StagedObjects } from "../s3/staged-objects.ts";
import { objectPrefixes } from "../dynamodb/table.ts";

const maxFactsBytes = 256 * 1024;

/** Facts of the environments of a stack, by the ids of their images. `advance` writes them before the first program. */
export interface KeptFacts {
  /** Undefined: no program has been run in the image. */
  read(image: string): Promise<EnvironmentFacts | undefined>;
  write(image: string, facts: EnvironmentFacts): Promise<void>;
}

function keyOf(image: string): string {
  return `${objectPrefixes.environments}${image}.json`;
}

export function keptFacts(objects: Pick<StagedObjects, "readText" | "writeText">): KeptFacts {
  return {
    async read(image) {
      const kept = await objects.readText(keyOf(image), maxFactsBytes);
      return kept === undefined ? undefined : parseFacts(kept);
    },
    write: (image, facts) => objects.writeText(keyOf(image), JSON.stringify(facts)),
  };
}

/**
 * Lists the environments of a stack, the default first. `images`: JSON of the images' ids by name. What an environment has is
 * known after its first program. Never rejects.
 */
export function stackEnvironments(
  settings: ClientSettings,
  bucket: string,
  images: string,
): () => Promise<KnownEnvironment[]> {
  const idOf = JSON.parse(images) as Record<string, string>;
  const names = [...new Set([defaultEnvironment, ...Object.keys(idOf)])].filter((name) => name in idOf);
  const known = new Map<string, EnvironmentFacts>();
  let opening: Promise<KeptFacts> | undefined;

  /** Loads the client of S3 at the first request. */
  async function open(): Promise<KeptFacts> {
    const [{ stagedObjects }, client] = await Promise.all([import("../s3/staged-objects.ts"), loadS3Client(settings)]);
    return keptFacts(stagedObjects(async () => client, bucket));
  }

  async function find(name: string): Promise<EnvironmentFacts | undefined> {
    const image = idOf[name] ?? "";
    const found = known.get(image) ?? (await (await (opening ??= open())).read(image));
    if (found) known.set(image, found);
    return found && { ...found, name };
  }

  return () =>
    Promise.all(
      names.map(async (name): Promise<KnownEnvironment> => {
        const found = await find(name).catch((error: unknown) =>
          log("error", "what an environment has could not be read", { environment: name, error }),
        );
        return found ? { engine: "lambda", facts: found } : { engine: "lambda", name };
      }),
    );
}
