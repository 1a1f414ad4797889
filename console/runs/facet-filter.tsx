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
  /** The choice of no filter. */
  any?: string;
  chosen: string | undefined;
  /** Absent: only the listed values can be chosen. */
  typed?: TypedValues;
  /** The values with their runs, as far as they are counted. */
  values: RunCounts["models"];
  onChoose: (value: string | undefined) => void;
}

/** Values that a person can type. */
interface TypedValues {
  /** Of the field. */
  name: string;
  placeholder: string;
  accepts: (text: string) => boolean;
  /** Shown for a text that is no value and no part of a listed one. */
  hint: string;
}

/** A filter by one of the values that the listed runs have, with counts. */
export function FacetFilter({ name, any = "Any", chosen, typed, values, onChoose }: FacetFilterProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = values.filter(({ value }) => value.toLowerCase().includes(wanted));
  const entered = typed?.accepts(text.trim()) ? text.trim() : undefined;
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
      {(typed || values.length >= searchFrom) && (
        <input
          class="input"
          type="search"
          aria-label={typed?.name ?? `Find a value of ${name}`}
          placeholder={typed?.placeholder ?? "Find"}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          {any}
        </button>
      )}
      {entered !== undefined && found.every(({ value }) => value !== entered) && (
        <button type="button" onClick={() => choose(entered)}>
          <bdi>{entered}</bdi>
        </button>
      )}
      {found.slice(0, most).map(({ value, count }) => (
        <button key={value} type="button" onClick={() => choose(value)}>
          <bdi class="facet-value">{value}</bdi>
          {value === chosen && <Icon name="check" />}
          <span class="end muted">{formatNumber(count)}</span>
        </button>
      ))}
      {found.length === 0 && !typed && (
        <p class="title">{values.length === 0 ? "No listed run has one." : "None matches."}</p>
      )}
      {found.length === 0 && typed && wanted !== "" && entered === undefined && <p class="title">{typed.hint}</p>}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
