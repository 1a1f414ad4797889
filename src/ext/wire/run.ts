import type { NamedStarter } from "../../accounts/starter.ts";
import { wireRunFields, wireTurnFields } from "../../http/rest/wire/run.ts";
import { resultOf } from "../../runs/read/checked-result.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import type { WebhookTarget } from "../../runs/types.ts";
import type { Schemas } from "../call.ts";

export function wireRun(described: DescribedRun): Schemas["Run"] {
  const { run, startedBy } = described;
  const started_by = startedBy ? wireStarter(startedBy) : null;
  return { ...wireRunFields(described), template_id: run.agentId, webhook: wireTarget(run.webhook), started_by };
}

/** A run as streams send it: without its output, which is an event. */
export function wireProgress(detail: RunDetail): Omit<Schemas["RunDetail"], "output" | "result"> {
  return { ...wireRun(detail), ...wireTurnFields(detail) };
}

/** `output`: of the last turn that ended. */
export function wireDetail(detail: RunDetail, output: string | undefined): Schemas["RunDetail"] {
  return { ...wireProgress(detail), output: output ?? null, result: resultOf(detail.checked, output) };
}

/** Without ids, the first characters of keys and the names of operators: they are nothing for programs. */
function wireStarter(starter: NamedStarter): Schemas["Starter"] {
  return { kind: starter.kind, name: programName(starter) };
}

/** The name of who did something, for programs: that of a key. */
export function programName({ kind, name }: NamedStarter): string | null {
  return kind === "operator" ? null : (name ?? null);
}

/** The URL itself is not sent: it can contain a secret. */
function wireTarget(target: WebhookTarget | undefined): Schemas["Run"]["webhook"] {
  if (target === undefined) return null;
  return target === "agent" ? "agent" : "run";
}
