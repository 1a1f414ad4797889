import type { NamedStarter } from "../../accounts/starter.ts";
import { wireBySchema } from "../../http/rest/wire/by-schema.ts";
import { detailFieldsOf, runFieldsOf, runParts } from "../../http/rest/wire/run.ts";
import { resultOf } from "../../runs/read/checked-result.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import type { Schemas } from "../call.ts";
import { ownRunSchemas } from "../contract/schemas/run-schemas.ts";

const wire = wireBySchema({ ...ownRunSchemas, ...runParts });

export function wireOwnRun(described: DescribedRun): Schemas["Run"] {
  return wire("Run", { ...runFieldsOf(described), ...forPrograms(described) });
}

/** A run as streams send it: without its output, which is an event. */
export function wireProgress(detail: RunDetail): Omit<Schemas["RunDetail"], "output" | "result"> {
  const { output: _output, result: _result, ...progress } = wireOwnDetail(detail, undefined);
  return progress;
}

/** `output`: of the last turn that ended. */
export function wireOwnDetail(detail: RunDetail, output: string | undefined): Schemas["RunDetail"] {
  const result = resultOf(detail.checked, output) ?? undefined;
  return wire("RunDetail", { ...detailFieldsOf(detail), ...forPrograms(detail), output, result });
}

/**
 * Who created a run: without ids, the first characters of keys and the names of operators, which are nothing for programs. And
 * where its ends are reported: a URL itself is not sent, because it can contain a secret.
 */
function forPrograms({ run: { agentId, webhook }, startedBy }: DescribedRun) {
  return {
    templateId: agentId,
    startedBy: startedBy && { kind: startedBy.kind, name: programName(startedBy) ?? undefined },
    webhook: webhook && (webhook === "agent" ? ("agent" as const) : ("run" as const)),
  };
}

/** The name of who did something, for programs: that of a key. */
export function programName({ kind, name }: NamedStarter): string | null {
  return kind === "operator" ? null : (name ?? null);
}
