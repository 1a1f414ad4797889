import { useEffect, useState } from "preact/hooks";
import { formatBytes } from "../../format.ts";
import { Icon } from "../../ui/icon.tsx";
import type { RunReader } from "../api.ts";
import { loadedUnasked } from "../text/full-texts.ts";
import { visibleLine } from "../text/visible.ts";
import { saveBlob } from "../../ui/save-blob.ts";
import { DiffView } from "./diff-view.tsx";
import type { ListedFile } from "./file-changes.ts";
import { baseName } from "./file-tree.ts";
import { Preview } from "./preview.tsx";
import { Segments } from "../../ui/fields/segments.tsx";

/** Largest file that is read for a preview or a difference. */
const largest = 8 * 1024 * 1024;

interface Props {
  listed: ListedFile;
  at: string | undefined;
  compared: string | undefined;
  api: RunReader;
}

/** One file: its content, or its difference to another point of the run. */
export function FileView({ listed, at, compared, api }: Props) {
  const { file, change } = listed;
  const [tab, setTab] = useState<"preview" | "changes">(change === "M" ? "changes" : "preview");
  const options: ["preview" | "changes", string][] = [
    ["preview", "Preview"],
    ["changes", "Changes"],
  ];
  const source = change === "D" ? compared : at;
  return (
    <div class="run-file">
      <div class="run-file-head">
        <bdi class="mono cut" title={file.name}>
          {visibleLine(file.name, 120)}
        </bdi>
        {change === "M" && <Segments label="Show" options={options} value={tab} onChange={setTab} />}
        <DownloadButton name={file.name} load={() => api.file(file.name, source)} />
      </div>
      <Asked size={file.size}>
        {tab === "changes" && change === "M" ? (
          <DiffView load={async () => Promise.all([api.file(file.name, compared), api.file(file.name, at)])} />
        ) : (
          <Preview name={file.name} load={() => api.file(file.name, source)} />
        )}
      </Asked>
    </div>
  );
}

function DownloadButton({ name, load }: { name: string; load: () => Promise<Blob> }) {
  const [error, setError] = useState<string>();
  const save = (): void => {
    load().then(
      (blob) => saveBlob(blob, baseName(name)),
      (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Download ${name}`}
      title={error ?? "Download"}
      onClick={save}
    >
      <Icon name={error ? "warning" : "download"} />
    </button>
  );
}

/** Loads what is large only when the reader asks. */
function Asked({ size, children }: { size: number; children: preact.ComponentChildren }) {
  const [asked, setAsked] = useState(size <= loadedUnasked);
  useEffect(() => setAsked((before) => before || size <= loadedUnasked), [size]);
  if (size > largest) return <p class="run-empty">{formatBytes(size)} is too large to show here. Download it.</p>;
  if (asked) return <>{children}</>;
  return (
    <p class="run-empty">
      <button type="button" class="button small" onClick={() => setAsked(true)}>
        Load {formatBytes(size)}
      </button>
    </p>
  );
}
