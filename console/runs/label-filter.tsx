import { useState } from "preact/hooks";
import type { RunCounts } from "../api/types.ts";
import { formatNumber } from "../format.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";

/** Labels that the menu offers; others can be typed. */
const most = 20;

interface LabelFilterProps {
  /** As `KEY=VALUE`. Undefined: no filter. */
  chosen: string | undefined;
  /** Labels of the listed runs, with their counts. */
  known: RunCounts["labels"];
  onChoose: (label: string | undefined) => void;
}

/** The label that the listed runs have. */
export function LabelFilter({ chosen, known, onChoose }: LabelFilterProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = known.filter(({ value }) => value.toLowerCase().includes(wanted));
  const choose = (label: string | undefined): void => {
    setText("");
    onChoose(label);
  };
  return (
    <Menu
      class={chosen ? "chip on" : "chip"}
      label={
        <>
          Label <b>{chosen ? <bdi>{chosen}</bdi> : "Any"}</b>
          <Icon name="down" />
        </>
      }
    >
      <input
        class="input"
        type="search"
        aria-label="Label as KEY=VALUE"
        placeholder="customer=4711"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          Any label
        </button>
      )}
      {text.trim().indexOf("=") > 0 && found.every(({ value }) => value !== text.trim()) && (
        <button type="button" onClick={() => choose(text.trim())}>
          <bdi>{text.trim()}</bdi>
        </button>
      )}
      {found.slice(0, most).map(({ value, count }) => (
        <button key={value} type="button" onClick={() => choose(value)}>
          <bdi class="facet-value">{value}</bdi>
          {value === chosen && <Icon name="check" />}
          <span class="end muted">{formatNumber(count)}</span>
        </button>
      ))}
      {found.length === 0 && wanted !== "" && text.trim().indexOf("=") < 1 && (
        <p class="title">No listed run has it. Type KEY=VALUE.</p>
      )}
    </Menu>
  );
}
