import { environmentTools } from "../../environments.ts";
import type { RunDetail } from "../api.ts";
import type { Call } from "../model/run-model-types.ts";
import { visibleLine } from "../text/visible.ts";

/** In which Linux the program of a call ran. Of earlier turns, the request of a step says it. */
export function CallEnvironment({ call, detail }: { call: Call; detail: RunDetail }) {
  const { environment, turn } = detail;
  if (!environment || call.turn !== turn || !environmentTools.has(call.name)) return null;
  const { name, engine, digest } = environment;
  return (
    <p class="run-environment">
      Environment <bdi class="mono">{visibleLine(name, 60)}</bdi>, {engine}, <ShortDigest digest={digest} />
    </p>
  );
}

/** The first characters of a digest. The title has all of it. */
export function ShortDigest({ digest }: { digest: string }) {
  return (
    <span class="mono" title={digest}>
      {visibleLine(digest.replace("sha256:", ""), 200).slice(0, 12)}
    </span>
  );
}
