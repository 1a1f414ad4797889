import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLocked } from "./data-dir-lock.ts";

const fileIn = (dataDir: string): string => join(dataDir, "server.json");

/** Saves the base address of the server on a data directory, for operators' commands. */
export function saveServerAddress(dataDir: string, baseUrl: string): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify({ base_url: baseUrl })}\n`, { mode: 0o600 });
}

/** The base address of the server on a data directory. Undefined: no server runs there. */
export function findServerAddress(dataDir: string): string | undefined {
  if (!isLocked(dataDir)) return undefined;
  try {
    return (JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as { base_url: string }).base_url;
  } catch {
    return undefined; // it has not begun to listen
  }
}
