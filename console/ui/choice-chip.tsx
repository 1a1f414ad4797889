import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";

/** From this number of values on, the menu has a search. */
const searchFrom = 10;
/** Values that the menu shows at once; the search finds the others. */
const most = 50;

interface ChoiceChipProps<Value extends string> {
  /** What is chosen, such as `Agent`. */
  name: string;
  /** The choice of none, such as `All agents`. */
  all: string;
  /** Of the search. */
  find?: string;
  values: readonly (readonly [Value, string])[];
  chosen: Value | undefined;
  onChoose: (value: Value | undefined) => void;
}

/** A filter by one value, with a menu of all. */
export function ChoiceChip<Value extends string>({
  name,
  all,
  find = "Find",
  values,
  chosen,
  onChoose,
}: ChoiceChipProps<Value>) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = values.filter(([value, word]) => `${word} ${value}`.toLowerCase().includes(wanted));
  const shown = values.find(([value]) => value === chosen)?.[1] ?? chosen?.slice(0, 8);
  const choose = (value: Value | undefined): void => {
    setText("");
    onChoose(value);
  };
  return (
    <Menu
      class={chosen ? "chip on" : "chip"}
      label={
        <>
          {name} <b>{chosen ? <bdi>{shown}</bdi> : "All"}</b>
          <Icon name="down" />
        </>
      }
    >
      {values.length >= searchFrom && (
        <input
          class="input"
          type="search"
          aria-label={find}
          placeholder={find}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          {all}
        </button>
      )}
      {found.slice(0, most).map(([value, word]) => (
        <button key={value} type="button" onClick={() => choose(value)}>
          <bdi>{word}</bdi>
          {value === chosen && <Icon name="check" class="end" />}
        </button>
      ))}
      {found.length === 0 && <p class="title">None matches.</p>}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
