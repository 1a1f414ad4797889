import { formatBytes } from "../format.ts";
import { Button } from "../ui/fields/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { StartFile } from "./draft.ts";
import type { FileCheck } from "./file-limits.ts";

interface FileListProps {
  files: StartFile[];
  check: FileCheck;
  onRemove: (file: StartFile) => void;
}

/** The files of the run. What is too much is red, and says by how much. */
export function FileList({ files, check, onRemove }: FileListProps) {
  return (
    <ul class="file-list">
      {files.map((file, index) => {
        const problem = check.problems[index];
        return (
          <li key={file.name} class={problem === undefined ? "" : "too-much"}>
            <Icon name={problem === undefined ? "file" : "warning"} />
            <bdi class="cut">{file.name}</bdi>
            <span class="size">
              {formatBytes(file.size)}
              {problem !== undefined && `, ${problem}`}
            </span>
            <Button
              kind="plain"
              size="small"
              icon="close"
              label={`Remove ${file.name}`}
              onClick={() => onRemove(file)}
            />
          </li>
        );
      })}
    </ul>
  );
}
