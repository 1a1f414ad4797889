import { useId } from "preact/hooks";
import { Icon } from "../ui/icon.tsx";

/** Where files are chosen. They can be dropped anywhere. `dragged`: files that are held over the window. */
export function DropZone({ dragged, onFiles }: { dragged: number; onFiles: (files: File[]) => void }) {
  const id = useId();
  return (
    <div class="drop-zone">
      <Icon name="upload" />
      {dragged > 0 ? (
        <strong>Drop {dragged === 1 ? "1 file" : `${dragged} files`}</strong>
      ) : (
        <span>
          Drop files anywhere, or <label for={id}>choose files</label>
        </span>
      )}
      <input
        id={id}
        type="file"
        class="visually-hidden"
        multiple
        aria-label="Choose files"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = ""; // so that the same file can be chosen again
        }}
      />
    </div>
  );
}
