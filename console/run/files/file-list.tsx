import { useMemo, useState } from "preact/hooks";
import { formatBytes } from "../../format.ts";
import { Icon } from "../../ui/icon.tsx";
import { visibleLine } from "../text/visible.ts";
import { count } from "../text/words.ts";
import type { ListedFile } from "./file-changes.ts";
import { baseName, fileTree, type Folder, isBelow } from "./file-tree.ts";

/** Files of one folder that are listed at first, and that each click adds. */
const pageSize = 200;

/** Files up to which all folders are open at first. */
const mostOpen = 50;

interface Props {
  files: ListedFile[];
  open: ListedFile | undefined;
  onOpen: (name: string) => void;
}

/** The files of the run by folders. Folders with the open file are open at first. */
export function FileList({ files, open, onOpen }: Props) {
  const tree = useMemo(() => fileTree(files), [files]);
  /** What the reader chose, by path of the folder. */
  const [chosen, setChosen] = useState<Record<string, boolean>>({});
  const isOpen = (path: string): boolean =>
    chosen[path] ?? (files.length <= mostOpen || isBelow(path, open?.file.name));
  const toggle = (path: string): void => setChosen({ ...chosen, [path]: !isOpen(path) });
  const bytes = files.reduce((sum, { file, change }) => sum + (change === "D" ? 0 : file.size), 0);
  const deleted = files.filter(({ change }) => change === "D").length;
  const summary = `${count(files.length - deleted, "file")}, ${formatBytes(bytes)}`;
  return (
    <div class="run-file-list">
      <Entries folder={tree} open={open} onOpen={onOpen} isOpen={isOpen} toggle={toggle} />
      <p>{deleted > 0 ? `${summary}, ${deleted} deleted` : summary}</p>
      {files.some(({ change }) => change) && <p>M changed, A new, D deleted</p>}
    </div>
  );
}

interface EntriesProps extends Omit<Props, "files"> {
  folder: Folder;
  isOpen: (path: string) => boolean;
  toggle: (path: string) => void;
}

/** The folders and files of one folder. */
function Entries({ folder, ...list }: EntriesProps) {
  const [shown, setShown] = useState(pageSize);
  const { open, onOpen } = list;
  const { folders, files } = folder;
  const left = folders.length + files.length - shown;
  return (
    <>
      {folders.slice(0, shown).map((each) => (
        <FolderEntry key={each.path} folder={each} {...list} />
      ))}
      {files.slice(0, Math.max(0, shown - folders.length)).map((listed) => {
        const { file, change } = listed;
        return (
          <button
            key={file.name}
            type="button"
            aria-pressed={listed === open}
            title={file.name}
            onClick={() => onOpen(file.name)}
          >
            <Icon name="file" />
            <bdi class={change === "D" ? "cut deleted" : "cut"}>{visibleLine(baseName(file.name), 120)}</bdi>
            {change && (
              <span class={`letter ${change}`} title={changeNames[change]}>
                {change}
              </span>
            )}
          </button>
        );
      })}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, left)} more of {left}
        </button>
      )}
    </>
  );
}

function FolderEntry({ folder, ...list }: EntriesProps) {
  const { path, name, count: files, changed } = folder;
  const expanded = list.isOpen(path);
  return (
    <>
      <button type="button" aria-expanded={expanded} title={path} onClick={() => list.toggle(path)}>
        <Icon name={expanded ? "down" : "right"} />
        <bdi class="cut">{visibleLine(name, 120)}</bdi>
        <span class="count" title={changed ? `${count(files, "file")}, some changed` : count(files, "file")}>
          {files}
          {changed && " •"}
        </span>
      </button>
      {expanded && (
        <div class="run-folder" role="group" aria-label={path}>
          <Entries folder={folder} {...list} />
        </div>
      )}
    </>
  );
}

const changeNames = { M: "Changed", A: "New", D: "Deleted" };
