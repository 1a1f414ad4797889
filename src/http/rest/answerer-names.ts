import type { NamedStarter } from "../../accounts/starter.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import type { RunEvent } from "../../runs/run-types.ts";

/** The name of who gave the answer that an event records. Null: it records none, or the name is not known or not shown. */
export type AnswererOf = (event: RunEvent) => Promise<string | null>;

/** `nameOf`: the name, as far as it is for the caller. */
export function answererNames(
  describer: Pick<RunDescriber, "named">,
  nameOf: (starter: NamedStarter) => string | null,
): AnswererOf {
  return async (event) => {
    const by = "part" in event && event.part === "answered" ? event.by : undefined;
    return by ? nameOf(await describer.named(by)) : null;
  };
}
