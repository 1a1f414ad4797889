import { visibleLine } from "../../run/text/visible.ts";
import type { TrialAttempt } from "../trial-calls.ts";

const letters = { added: "A", removed: "D", changed: "M" };

/** The files that differ from those after the recorded turn: a letter and the name. `most`: how many are shown. */
export function FileChanges({ files, most = files.length }: { files: TrialAttempt["files"]; most?: number }) {
  if (files.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="file-changes">
      {files.slice(0, most).map(({ name, change }) => (
        <li key={name} title={`${visibleLine(name)}, ${change}`}>
          <b class={change}>
            {letters[change]}
            <span class="visually-hidden"> {change} </span>
          </b>
          <bdi class="cut">{visibleLine(name)}</bdi>
        </li>
      ))}
      {files.length > most && <li class="muted">{files.length - most} more</li>}
    </ul>
  );
}
