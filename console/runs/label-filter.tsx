import { useState } from "preact/hooks";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";

/** Labels that the menu offers; others can be typed. */
const most = 20;

interface LabelFilterProps {
  /** As `KEY=VALUE`. Undefined: no filter. */
  chosen: string | undefined;
  /** Labels of the runs in the list. */
  known: string[];
  onChoose: (label: string | undefined) => void;
}

/** The label that the listed runs have. */
export function LabelFilter({ chosen, known, onChoose }: LabelFilterProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = [...new Set(known)].filter((label) => label.toLowerCase().includes(wanted)).toSorted();
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
      {text.trim().indexOf("=") > 0 && !found.includes(text.trim()) && (
        <button type="button" onClick={() => choose(text.trim())}>
          <bdi>{text.trim()}</bdi>
        </button>
      )}
      {found.slice(0, most).map((label) => (
        <button key={label} type="button" onClick={() => choose(label)}>
          <bdi>{label}</bdi>
          {label === chosen && <Icon name="check" class="end" />}
        </button>
      ))}
      {found.length === 0 && wanted !== "" && text.trim().indexOf("=") < 1 && (
        <p class="title">No listed run has it. Type KEY=VALUE.</p>
      )}
    </Menu>
  );
}
