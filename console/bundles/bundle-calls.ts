import { operations } from "../../src/manage/generated/bundle-operations.ts";
import { call, send } from "../api/client.ts";
import { addOperations } from "../api/operations.ts";
import type { Schemas } from "../api/types.ts";

addOperations(operations);

/** A run with its whole record as one file. */
export async function readBundle(runId: string): Promise<Blob> {
  return (await send("export_run", { run_id: runId })).blob();
}

/** Creates a read-only run of an agent from such a file. */
export function importBundle(agentId: string, file: Blob): Promise<Schemas["Run"]> {
  return call("import_run", { agent_id: agentId }, { file, headers: { "content-type": "application/zip" } });
}
