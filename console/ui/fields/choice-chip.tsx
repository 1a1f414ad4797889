import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../dialogs/menu.tsx";

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
  /** Whether several values can be chosen. Their menu stays open. */
  several?: boolean;
  chosen: readonly Value[];
  onChoose: (values: Value[]) => void;
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

/** A filter by one value or several, with a menu of all. */
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
  several = false,
  chosen,
  onChoose,
}: ChoiceChipProps<Value>) {
  const [text, setText] = useState("");
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const unknown = several ? chosen.filter((value) => values.every(([each]) => each !== value)) : [];
  const listed = [...values, ...unknown.map((value) => [value, unlisted ?? value] as const)];
  const found = listed.filter(([value, word]) => [value, word].some((each) => each.toLowerCase().includes(wanted)));
  const entered = search.accepts?.(typed) && values.every(([value]) => value !== typed) ? (typed as Value) : undefined;
  const choose = (...next: Value[]): void => {
    setText("");
    onChoose(next);
  };
  const [first, ...others] = chosen;
  const nameOf = (value: Value): string => values.find(([each]) => each === value)?.[1] ?? unlisted ?? value;
  return (
    <Menu
      class={first === undefined ? "chip" : "chip on"}
      label={
        <>
          {name} <b>{first === undefined ? none : <bdi>{nameOf(first)}</bdi>}</b>
          {others.length > 0 && <span>+{others.length}</span>}
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
        <button type="button" onClick={() => choose()}>
          {all}
        </button>
      )}
      {entered !== undefined && (
        <button type="button" onClick={() => choose(entered)}>
          <bdi>{entered}</bdi>
        </button>
      )}
      {found.slice(0, most).map(([value, word, count]) => {
        const isChosen = chosen.includes(value);
        const counted = count !== undefined && <span class="end muted">{formatNumber(count)}</span>;
        return several ? (
          <label key={value}>
            <input
              type="checkbox"
              checked={isChosen}
              onChange={() => onChoose(isChosen ? chosen.filter((each) => each !== value) : [...chosen, value])}
            />
            <bdi>{word}</bdi>
            {counted}
          </label>
        ) : (
          <button key={value} type="button" onClick={() => choose(value)}>
            <bdi>{word}</bdi>
            {isChosen && <Icon name="check" class={count === undefined ? "end" : ""} />}
            {counted}
          </button>
        );
      })}
      {found.length === 0 && entered === undefined && (
        <p class="title">{wanted === "" ? empty : (search.noMatch ?? noMatch)}</p>
      )}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
