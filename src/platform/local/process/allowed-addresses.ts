import { readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { ServiceError } from "../../../errors.ts";

/** A value of `--allow-address`. Throws for one that is no single IP address. */
export function parseAllowedAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  const message = `--allow-address is ${JSON.stringify(text)}; expected an IP address, such as 127.0.0.1 or ::1`;
  throw new ServiceError("invalid_argument", message);
}

const fileIn = (dataDir: string): string => join(dataDir, "allowed-addresses.json");

/** Saves the addresses for operators' commands, which run in other processes. The next start of the service replaces them. */
export function saveAllowedAddresses(dataDir: string, addresses: string[]): void {
  if (JSON.stringify(addresses) === JSON.stringify(readAllowedAddresses(dataDir))) return;
  writeFileSync(fileIn(dataDir), `${JSON.stringify(addresses)}\n`, { mode: 0o600 });
}

/** The addresses of the service's last start. */
export function readAllowedAddresses(dataDir: string): string[] {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as string[];
  } catch {
    return []; // the service never started, or is replacing the file
  }
}
