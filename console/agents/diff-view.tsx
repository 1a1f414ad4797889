import { DiffLines } from "../run/files/diff-view.tsx";
import { fileDiff } from "./form/line-diff.ts";

/** The difference of two agent files, by lines. */
export function DiffView({ title, before, after }: { title: string; before: string; after: string }) {
  const diff = fileDiff(before, after);
  return (
    <figure class="code file-diff">
      <header>{title}</header>
      {diff && <DiffLines diff={diff} />}
    </figure>
  );
}
