import { useState } from "preact/hooks";
import { formatNumber } from "../format.ts";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";

interface ChoiceChipProps<Value extends string> {
  /** What is filtered, such as `Agent`. */
  name: string;
  /** The chip's text without a choice. */
  none?: "All" | "Any";
  /** The choice that removes the filter, such as `All agents`. */
  all: string;
  /** Values with their names and, if they are counted, their counts. */
  values: readonly (readonly [value: Value, name: string, count?: number])[];
  /** The chip's text for a chosen value that is not listed. Default: the value. */
  unlisted?: string | undefined;
  /** Shown in the menu if no value is listed. */
  empty?: string;
  search?: ChoiceSearch;
  /** From this number of values on, the menu has a search. */
  searchFrom?: number;
  /** Values that the menu shows at once; the search finds the others. */
  most?: number;
  chosen: Value | undefined;
  onChoose: (value: Value | undefined) => void;
}

/** The search field of a menu. */
export interface ChoiceSearch {
  name: string;
  /** Default: the name. */
  placeholder?: string;
  /** Whether a typed text can be chosen that is not listed. With it, the menu always has a search. */
  accepts?: (text: string) => boolean;
  /** Shown if no value matches. */
  noMatch?: string;
}

const noMatch = "None matches.";

/** A filter by one value, with a menu of all. */
export function ChoiceChip<Value extends string>({
  name,
  none = "All",
  all,
  values,
  unlisted,
  empty = noMatch,
  search = { name: "Find" },
  searchFrom = 10,
  most = 50,
  chosen,
  onChoose,
}: ChoiceChipProps<Value>) {
  const [text, setText] = useState("");
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const found = values.filter(([value, word]) => [value, word].some((each) => each.toLowerCase().includes(wanted)));
  const entered = search.accepts?.(typed) && values.every(([value]) => value !== typed) ? (typed as Value) : undefined;
  const choose = (value: Value | undefined): void => {
    setText("");
    onChoose(value);
  };
  return (
    <Menu
      class={chosen ? "chip on" : "chip"}
      label={
        <>
          {name}{" "}
          <b>{chosen ? <bdi>{values.find(([value]) => value === chosen)?.[1] ?? unlisted ?? chosen}</bdi> : none}</b>
          <Icon name="down" />
        </>
      }
    >
      {(search.accepts || values.length >= searchFrom) && (
        <input
          class="input"
          type="search"
          aria-label={search.name}
          placeholder={search.placeholder ?? search.name}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          {all}
        </button>
      )}
      {entered !== undefined && (
        <button type="button" onClick={() => choose(entered)}>
          <bdi>{entered}</bdi>
        </button>
      )}
      {found.slice(0, most).map(([value, word, count]) => (
        <button key={value} type="button" onClick={() => choose(value)}>
          <bdi>{word}</bdi>
          {value === chosen && <Icon name="check" class={count === undefined ? "end" : ""} />}
          {count !== undefined && <span class="end muted">{formatNumber(count)}</span>}
        </button>
      ))}
      {found.length === 0 && entered === undefined && (
        <p class="title">{wanted === "" ? empty : (search.noMatch ?? noMatch)}</p>
      )}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
