import { Icon } from "../../ui/icon.tsx";
import { programTools } from "../model/error-line.ts";
import type { Step } from "../model/run-model-types.ts";
import { formatPlace } from "../selection.ts";
import { visibleLine } from "../text/visible.ts";

const shownFiles = 4;

/** The files that the programs of a step changed or deleted. Other calls name their file themselves. */
export function ChangedFiles({ step }: { step: Step }) {
  const programs = step.calls.filter(({ name }) => programTools.includes(name));
  // Of a file that several calls changed, the last change counts.
  const files = [...new Map(programs.flatMap((call) => call.files).map((file) => [file.name, file])).values()];
  if (files.length === 0) return null;
  const at = formatPlace({ turn: step.turn, step: step.step });
  return (
    <ul class="run-changed" aria-label="Changed files">
      {files.slice(0, shownFiles).map(({ name, deleted }) => (
        <li key={name} title={name}>
          {deleted ? (
            <>
              <Icon name="trash" />
              <del>
                <bdi class="cut" dir="auto">
                  {visibleLine(name, 120)}
                </bdi>
              </del>
              <span>deleted</span>
            </>
          ) : (
            <>
              <Icon name="file" />
              <a
                href={`?${new URLSearchParams({ at, tab: "files", file: name }).toString()}`}
                tabIndex={-1}
                onClick={(event) => event.stopPropagation()}
              >
                <bdi class="cut" dir="auto">
                  {visibleLine(name, 120)}
                </bdi>
              </a>
            </>
          )}
        </li>
      ))}
      {files.length > shownFiles && <li>+{files.length - shownFiles} more</li>}
    </ul>
  );
}
