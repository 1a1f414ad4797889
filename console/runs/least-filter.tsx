import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/dialogs/menu.tsx";

interface LeastFilterProps {
  /** What is filtered, such as `Cost`. */
  name: string;
  chosen: number | undefined;
  /** What the menu offers. */
  values: readonly number[];
  format: (value: number) => string;
  onChoose: (value: number | undefined) => void;
}

/** A filter by the least value that runs have. */
export function LeastFilter({ name, chosen, values, format, onChoose }: LeastFilterProps) {
  const offered =
    chosen === undefined || values.includes(chosen) ? values : [...values, chosen].toSorted((a, b) => a - b);
  return (
    <Menu
      class={chosen === undefined ? "chip" : "chip on"}
      label={
        <>
          {name} <b>{chosen === undefined ? "Any" : `from ${format(chosen)}`}</b>
          <Icon name="down" />
        </>
      }
    >
      <button type="button" onClick={() => onChoose(undefined)}>
        Any
      </button>
      {offered.map((value) => (
        <button key={value} type="button" onClick={() => onChoose(value)}>
          from {format(value)}
          {value === chosen && <Icon name="check" class="end" />}
        </button>
      ))}
    </Menu>
  );
}
