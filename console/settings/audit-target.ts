import type { Schemas } from "../api/types.ts";

/** The page of what an action was done to. Undefined: it has none, such as a key or a suite. */
export function auditTarget({ action, id, version }: Schemas["AuditEntry"]): {
  url: string | undefined;
  version: number | undefined;
} {
  const pages: Record<string, string> = {
    agent: `/console/agents/${id}`,
    webhook: `/console/agents/${id}?tab=webhook`,
    run: `/console/runs/${id}`,
    org: `/console/models?organization=${id}`,
    operator: "/console/settings",
    trial: `/console/trials/${id}`,
  };
  const kind = action.split(".")[0] ?? "";
  return { url: pages[kind], version: version ?? undefined };
}
