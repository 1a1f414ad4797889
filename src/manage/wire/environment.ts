import type { Schemas } from "../call.ts";
import type { KnownEnvironment } from "../../sandbox/linux/linux-types.ts";

const unknown = { digest: null, system: null, programs: null, python: null };

export function wireEnvironment(known: KnownEnvironment): Schemas["Environment"] {
  if ("unavailable" in known) return { name: known.name, unavailable: known.unavailable, engine: null, ...unknown };
  if (!("facts" in known)) return { name: known.name, unavailable: null, engine: known.engine, ...unknown };
  const { name, digest, system, programs, python } = known.facts;
  return { name, unavailable: null, engine: known.engine, digest, system, programs, python };
}
