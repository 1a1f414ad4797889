import { readFileSync } from "node:fs";

const file = new URL("viewer-request.js", import.meta.url);
const unset = 'var streamsOrigin = "";';

/** The code of CloudFront's function. `streamsOrigin`: the id of the origin of streams of events. */
export function viewerRequestCode(streamsOrigin: string): string {
  const code = readFileSync(file, "utf8");
  if (!code.includes(unset)) throw new Error(`viewer-request.js has no line ${unset}`);
  return code.replace(unset, `var streamsOrigin = ${JSON.stringify(streamsOrigin)};`);
}
