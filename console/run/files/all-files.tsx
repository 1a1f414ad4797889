import { useState } from "preact/hooks";
import { Icon } from "../../ui/icon.tsx";
import { saveBlob } from "../../ui/save-blob.ts";
import type { RunReader } from "../api.ts";
import type { ListedFile } from "./file-changes.ts";

/** Saves all files of one point of the run as a ZIP archive, with their folders. */
export function AllFiles({ files, at, api }: { files: ListedFile[]; at: string | undefined; api: RunReader }) {
  const [state, setState] = useState<"idle" | { loaded: number; of: number } | { error: string }>("idle");
  const loading = typeof state === "object" && "loaded" in state;
  async function save(): Promise<void> {
    try {
      const kept = files.filter(({ change }) => change !== "D").map(({ file }) => file);
      const contents: { name: string; content: Blob }[] = [];
      for (const { name, kind } of kept) {
        setState({ loaded: contents.length, of: kept.length });
        contents.push({ name: kind === "folder" ? `${name}/` : name, content: await api.file(name, at) });
      }
      const { zipOf } = await import("./zip.ts");
      saveBlob(await zipOf(contents), "files.zip");
      setState("idle");
    } catch (error) {
      setState({ error: error instanceof Error ? error.message : String(error) });
    }
  }
  return (
    <>
      <button type="button" class="button small run-all" disabled={loading} onClick={() => void save()}>
        <Icon name="download" /> {loading ? `Loading ${state.loaded + 1} of ${state.of}…` : "All files"}
      </button>
      {typeof state === "object" && "error" in state && (
        <p class="run-callout bad" role="alert">
          {state.error}
        </p>
      )}
    </>
  );
}
