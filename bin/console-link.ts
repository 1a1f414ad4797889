import { fileURLToPath } from "node:url";

/** Folder of the built console (`scripts/build-console.ts`). */
export const builtConsole: string = fileURLToPath(new URL("../dist/console", import.meta.url));

/** The link that signs an operator in to the console. Browsers do not send what follows `#`. */
export function consoleLink(baseUrl: string, token: string): string {
  return `${baseUrl.replace(/\/$/, "")}/console/#${token}`;
}
