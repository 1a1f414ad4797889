import { useEffect, useRef } from "preact/hooks";
import { visible } from "../text/visible.ts";
import type { ResultTree, TreeRow } from "./result-rows.ts";

/** Characters of a value that are shown. JSON has all of it. */
const longest = 2_000;

/** Single values of a result, with their names. */
export function Tree({ tree, onMore }: { tree: ResultTree; onMore: () => void }) {
  return (
    <div class="result-box">
      <ul class="result-tree">
        {tree.rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
        {tree.rows.length === 0 && <li class="size">empty</li>}
      </ul>
      {tree.more && (
        <p class="result-more">
          {tree.rows.length.toLocaleString("en")} lines shown.
          <button type="button" class="link" onClick={onMore}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

function Row({ row: { depth, name, value, note } }: { row: TreeRow }) {
  const element = useRef<HTMLLIElement>(null);
  // The policy of the page refuses style attributes.
  useEffect(() => element.current?.style.setProperty("--depth", String(depth)), [depth]);
  const text = value && (value.text.length > longest ? `${value.text.slice(0, longest).toWellFormed()}…` : value.text);
  return (
    <li ref={element}>
      <bdi dir="auto" class="name">
        {visible(name)}
      </bdi>{" "}
      {value && text !== undefined && (
        <bdi dir="auto" class={value.kind}>
          {visible(text)}
        </bdi>
      )}
      {note !== undefined && <span class="size">{note}</span>}
    </li>
  );
}
