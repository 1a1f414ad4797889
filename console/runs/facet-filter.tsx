import { useState } from "preact/hooks";
import type { RunCounts } from "../api/types.ts";
import { formatNumber } from "../format.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";

/** From this number of values on, the menu has a search. */
const searchFrom = 8;
/** Values that the menu shows at once; the search finds the others. */
const most = 20;

interface FacetFilterProps {
  /** What is filtered, such as `Model`. */
  name: string;
  chosen: string | undefined;
  /** The values with their runs, as far as they are counted. */
  values: RunCounts["models"];
  onChoose: (value: string | undefined) => void;
}

/** A filter by one of the values that the listed runs have, with counts. */
export function FacetFilter({ name, chosen, values, onChoose }: FacetFilterProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = values.filter(({ value }) => value.toLowerCase().includes(wanted));
  const choose = (value: string | undefined): void => {
    setText("");
    onChoose(value);
  };
  return (
    <Menu
      class={chosen ? "chip on" : "chip"}
      label={
        <>
          {name} <b>{chosen ? <bdi>{chosen}</bdi> : "Any"}</b>
          <Icon name="down" />
        </>
      }
    >
      {values.length >= searchFrom && (
        <input
          class="input"
          type="search"
          aria-label={`Find a value of ${name}`}
          placeholder="Find"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          Any
        </button>
      )}
      {found.slice(0, most).map(({ value, count }) => (
        <button key={value} type="button" onClick={() => choose(value)}>
          <bdi class="facet-value">{value}</bdi>
          {value === chosen && <Icon name="check" />}
          <span class="end muted">{formatNumber(count)}</span>
        </button>
      ))}
      {found.length === 0 && <p class="title">{values.length === 0 ? "No listed run has one." : "None matches."}</p>}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
