import type { Schemas } from "../call.ts";
import type { KnownEnvironment } from "../../sandbox/linux/types.ts";

export function wireEnvironment(known: KnownEnvironment): Schemas["Environment"] {
  if ("unavailable" in known) {
    const { name, unavailable } = known;
    return { name, unavailable, engine: null, digest: null, system: null, programs: null, python: null };
  }
  const { name, digest, system, programs, python } = known.facts;
  return { name, unavailable: null, engine: known.engine, digest, system, programs, python };
}
