import { useMemo } from "preact/hooks";
import { formatBytes } from "../../format.ts";
import { Icon } from "../../ui/icon.tsx";
import type { RunReader } from "../api.ts";
import type { RunModel } from "../model/run-model.ts";
import type { Step } from "../model/run-model-types.ts";
import { formatPlace, parsePlace, placeName } from "../selection.ts";
import { visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";
import { AllFiles } from "./all-files.tsx";
import { compareFiles, type ListedFile } from "./file-changes.ts";
import { FileList } from "./file-list.tsx";
import { FileView } from "./file-view.tsx";
import { useLoaded } from "./use-loaded.ts";

/** Steps to choose from at most, the last ones that changed files. */
const mostChoices = 60;

/** The chosen points of the run and file, from the URL. `at` can be `now`, `compared` can be `none`. */
export interface FileChoice {
  at: string | undefined;
  compared: string | undefined;
  name: string | undefined;
}

interface Props {
  view: RunView;
  api: RunReader;
  choice: FileChoice;
  onChoose: (choice: Partial<FileChoice>) => void;
}

/** The files of the run at one point, and their difference to another point. */
export function FilesTab({ view, api, choice, onChoose }: Props) {
  const changes = (view.version.value, view.model.fileSteps.length);
  const at = choice.at === "now" ? undefined : choice.at;
  const compared = choice.compared === "none" ? undefined : (choice.compared ?? stepBefore(view.model, at));
  const after = useLoaded(`${at ?? "now"} ${at ? "" : changes}`, () => api.files(at));
  const before = useLoaded(compared, async () => (compared === undefined ? [] : api.files(compared)));
  const files = useMemo(
    () => after.value && compareFiles(compared === undefined ? undefined : before.value, after.value),
    [after.value, before.value, compared],
  );
  const open =
    files?.find(({ file }) => file.name === choice.name) ?? files?.find(({ change }) => change) ?? files?.[0];
  const error = after.error ?? before.error;

  return (
    <>
      <div class="run-files-bar">
        <StepChoice
          label="Files at"
          none="now"
          value={at}
          view={view}
          onChoose={(value) => onChoose({ at: value ?? "now", compared: undefined })}
        />
        <StepChoice
          label="Compared with"
          none="nothing"
          value={compared}
          view={view}
          onChoose={(value) => onChoose({ compared: value ?? "none" })}
        />
        {files && files.length > 0 && <AllFiles files={files} at={at} api={api} />}
      </div>
      {error && (
        <p class="run-callout bad" role="alert">
          {error}
        </p>
      )}
      {files?.length === 0 && <p class="run-empty">The run has no files here.</p>}
      {files && files.length > 0 && (
        <div class="run-files">
          <FileList files={files} open={open} onOpen={(name) => onChoose({ name })} />
          {open && (
            <FileView
              key={`${open.file.name} ${at} ${compared} ${open.file.sha256}`}
              listed={open}
              at={at}
              compared={compared}
              api={api}
            />
          )}
        </div>
      )}
      {open && <FileFacts listed={open} at={at} view={view} />}
    </>
  );
}

/** The step before the one that last changed a file up to a point. */
function stepBefore(model: RunModel, at: string | undefined): string | undefined {
  const place = parsePlace(at);
  const step = place ? model.step(place.turn, place.step) : model.fileSteps.at(-1);
  const before = step && model.steps[step.index - 1];
  return before && formatPlace(before);
}

interface ChoiceProps {
  label: string;
  /** Name of the choice without a step. */
  none: string;
  value: string | undefined;
  view: RunView;
  onChoose: (value: string | undefined) => void;
}

function StepChoice({ label, none, value, view, onChoose }: ChoiceProps) {
  const { model } = view;
  const steps = model.fileSteps.slice(-mostChoices);
  const places = steps.map((step) => ({ turn: step.turn, step: step.step }));
  const chosen = parsePlace(value);
  if (chosen && !places.some(({ turn, step }) => turn === chosen.turn && step === chosen.step)) places.push(chosen);
  places.sort((a, b) => a.turn - b.turn || a.step - b.step);
  return (
    <label class="run-choice">
      {label}
      <select
        value={value ?? ""}
        onChange={(event) => onChoose(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
      >
        <option value="">{none}</option>
        {places.map((place) => (
          <option value={formatPlace(place)}>{lower(placeName(model, place))}</option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

/** Who wrote or deleted the file. */
function FileFacts({ listed, at, view }: { listed: ListedFile; at: string | undefined; view: RunView }) {
  const { size, sha256, changed_at_step: changedAt, name, kind } = listed.file;
  const isDeleted = listed.change === "D";
  const place = parsePlace(changedAt);
  const step = isDeleted ? deletingStep(view.model, name, at) : place && view.model.step(place.turn, place.step);
  const call = step?.calls.findLast(({ files }) =>
    files.some((file) => file.name === name && (file.deleted === true) === isDeleted),
  );
  return (
    <p class="run-file-facts">
      {kind === "link" && "A symbolic link; its content is its target. "}
      {kind === "folder" && "An empty folder. "}
      {step ? (
        <>
          {isDeleted ? "Deleted by " : "Written by "}
          <button
            type="button"
            class="link"
            onClick={() => view.select({ turn: step.turn, step: step.step, ...(call && { call: call.index }) })}
          >
            {lower(placeName(view.model, step))}
            {call && `, ${visibleLine(call.name, 40)}`}
          </button>
          .{" "}
        </>
      ) : (
        <>{changedAt === null && !isDeleted ? "Uploaded, or not recorded who wrote it. " : ""}</>
      )}
      {isDeleted && "Before: "}
      {formatBytes(size)}
      {sha256 && (
        <>
          , SHA-256 <span title={sha256}>{`${sha256.slice(0, 6)}…${sha256.slice(-4)}`}</span>
        </>
      )}
      . HTML and SVG files open in a frame without scripts.
    </p>
  );
}

/** The last step up to a point that deleted a file. */
function deletingStep(model: RunModel, name: string, at: string | undefined): Step | undefined {
  const place = parsePlace(at);
  const last = (place && model.step(place.turn, place.step)?.index) ?? Infinity;
  return model.fileSteps.findLast(
    ({ index, calls }) =>
      index <= last && calls.some(({ files }) => files.some((file) => file.deleted && file.name === name)),
  );
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
