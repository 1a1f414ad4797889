import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { paletteOpen } from "../state/dialogs.ts";
import { keyNames } from "../state/keyboard.ts";
import { useNavigate } from "../state/leave-guard.ts";
import { Icon } from "../ui/icon.tsx";
import { useFoundRuns } from "./found-runs.ts";
import { type Choice, findChoices } from "./palette-choices.ts";

const listboxId = "palette-choices";

function close(): void {
  paletteOpen.value = false;
}

/** Finds runs (name, id), agents and commands. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [selected, setSelected] = useState(0);
  const found = useFoundRuns(text);
  const isFound = found?.text === text.trim() && (found.runs.length > 0 || !found.isSearching);
  const [waiting, setWaiting] = useState<{ newTab: boolean }>();
  const navigate = useNavigate();
  useOpen(dialog);
  useEffect(() => dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
  const groups = findChoices(text, found?.runs ?? []);
  const choices = groups.flatMap((group) => group.choices);
  const current = Math.min(selected, choices.length - 1);
  const runs = groups.find(({ title }) => title === "Runs")?.choices.length ?? 0;
  const knownRuns = useRef(runs);
  useLayoutEffect(() => {
    // Runs come first: older ones that are found later must not move what is selected.
    const added = runs - knownRuns.current;
    if (added > 0 && selected > 0 && selected >= knownRuns.current) setSelected(selected + added);
    knownRuns.current = runs;
  }, [runs]);

  const choose = (choice: Choice | undefined, newTab: boolean): void => {
    if (!choice) return;
    if (newTab && "href" in choice) return void open(choice.href, "_blank", "noopener");
    close();
    if ("href" in choice) navigate(choice.href);
    // Commands act on the page: they run when the palette is gone, and the focus is back.
    else setTimeout(choice.run);
  };
  useEffect(() => {
    if (!waiting || !isFound) return;
    setWaiting(undefined);
    choose(choices[current], waiting.newTab);
  }, [waiting, isFound]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (event.key === "Enter") {
      const newTab = event.metaKey || event.ctrlKey;
      // The first choice depends on the response for this text; one that was selected does not.
      if (current <= 0 && !isFound) setWaiting({ newTab });
      else choose(choices[current], newTab);
    } else if (step !== undefined) setSelected((current + step + choices.length) % Math.max(1, choices.length));
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or run a command"
      onKeyDown={(event) => {
        // A dialog below has shortcuts, too.
        if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) event.stopPropagation();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="palette-head">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search runs, agents and commands"
          aria-expanded="true"
          aria-controls={listboxId}
          aria-activedescendant={choices.length > 0 ? `choice-${current}` : undefined}
          placeholder="Search runs, agents and commands"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
            setWaiting(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="key" onClick={close}>
          <kbd>esc</kbd>
          <span class="visually-hidden">Close</span>
        </button>
      </div>
      <div id={listboxId} role="listbox" aria-label="Choices">
        {groups.map(({ title, choices: members }) => (
          <div key={title} role="group" aria-labelledby={`palette-${title}`}>
            <div class="group" id={`palette-${title}`}>
              {title}
            </div>
            {members.map((choice) => {
              const index = choices.indexOf(choice);
              return (
                <ChoiceRow
                  key={index}
                  choice={choice}
                  text={text.trim()}
                  index={index}
                  selected={index === current}
                  onSelect={() => setSelected(index)}
                  onChoose={(newTab) => choose(choice, newTab)}
                />
              );
            })}
          </div>
        ))}
      </div>
      <p class="palette-searching" role="status">
        {found?.isSearching && "Searching older runs…"}
      </p>
      <PaletteKeys />
    </dialog>
  );
}

interface ChoiceRowProps {
  choice: Choice;
  text: string;
  index: number;
  selected: boolean;
  onSelect: () => void;
  onChoose: (newTab: boolean) => void;
}

function ChoiceRow({ choice, text, index, selected, onSelect, onChoose }: ChoiceRowProps) {
  const { icon, name, note, keys, tone = "" } = choice;
  return (
    <div
      id={`choice-${index}`}
      role="option"
      aria-selected={selected}
      onMouseMove={selected ? undefined : onSelect}
      onClick={(event) => onChoose(event.metaKey || event.ctrlKey)}
    >
      <span class={tone}>
        <Icon name={icon} class={icon === "running" ? "spin" : ""} />
      </span>
      <bdi class="name cut">
        <Marked name={name} text={text} />
      </bdi>
      <span class="end">
        {note !== undefined && <bdi>{note}</bdi>}
        {keys !== undefined && keyNames(keys).map((key) => <kbd key={key}>{key}</kbd>)}
        {keys === undefined && selected && <kbd aria-hidden="true">↵</kbd>}
      </span>
    </div>
  );
}

/** A name in which the text that found it is marked. */
function Marked({ name, text }: { name: string; text: string }) {
  const at = text === "" ? -1 : name.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return <>{name}</>;
  return (
    <>
      {name.slice(0, at)}
      <mark>{name.slice(at, at + text.length)}</mark>
      {name.slice(at + text.length)}
    </>
  );
}

function PaletteKeys() {
  return (
    <div class="palette-keys" aria-hidden="true">
      <span>
        <kbd>↑</kbd>
        <kbd>↓</kbd>
        Move
      </span>
      <span>
        <kbd>↵</kbd>
        Open
      </span>
      <span>
        <kbd>{keyNames("mod+Enter")}</kbd>
        Open in a new tab
      </span>
      <span class="right">Paste a run id to jump to it</span>
    </div>
  );
}

/** Opens the dialog; the focus returns afterwards. */
function useOpen(dialog: { current: HTMLDialogElement | null }): void {
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
}
