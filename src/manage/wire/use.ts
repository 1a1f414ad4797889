import type { FileUse, Used } from "../../runs/files/file-use.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

/** `openStreams` undefined: this process cannot know them. */
export function wireUse(use: FileUse, openStreams: Used | undefined): Schemas["Use"] {
  return wire("Use", { ...use, openStreams });
}
