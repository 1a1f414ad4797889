import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { Page, Run } from "../api/types.ts";
import { agents } from "../state/agents.ts";
import { paletteOpen } from "../state/dialogs.ts";
import { keyNames, shortcutGroups } from "../state/keyboard.ts";
import { runStates } from "../ui/status.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

interface Choice {
  group: "Commands" | "Agents" | "Runs";
  icon: IconName;
  name: string;
  /** Shown at the end of the row. */
  note?: string;
  keys?: string;
  run: () => void;
}

const searchDelayMs = 120;
const listboxId = "palette-choices";

function close(): void {
  paletteOpen.value = false;
}

function choose(choice: Choice | undefined): void {
  close();
  choice?.run();
}

/** Finds runs (name, id), agents and commands. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [selected, setSelected] = useState(0);
  const runs = useRuns(text);
  const { route } = useLocation();
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
  const choices = findChoices(text, runs, (path) => route(`/console/${path}`));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") choose(choices[selected]);
    else if (step !== undefined) setSelected((selected + step + choices.length) % Math.max(1, choices.length));
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or run a command"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search runs, agents and commands"
        aria-expanded="true"
        aria-controls={listboxId}
        aria-activedescendant={choices.length > 0 ? `choice-${selected}` : undefined}
        placeholder="Search runs, agents and commands"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listboxId} role="listbox" aria-label="Choices">
        {choices.length === 0 && <p class="group">Nothing matches.</p>}
        {choices.map((choice, index) => (
          <>
            {choice.group !== choices[index - 1]?.group && (
              <div class="group" role="presentation">
                {choice.group}
              </div>
            )}
            <div
              id={`choice-${index}`}
              role="option"
              aria-selected={index === selected}
              onMouseMove={() => setSelected(index)}
              onClick={() => choose(choice)}
            >
              <Icon name={choice.icon} />
              <bdi>{choice.name}</bdi>
              <span class="end">
                {choice.note}
                {choice.keys !== undefined && keyNames(choice.keys).map((name) => <kbd key={name}>{name}</kbd>)}
              </span>
            </div>
          </>
        ))}
      </div>
    </dialog>
  );
}

function findChoices(text: string, runs: Run[], go: (path: string) => void): Choice[] {
  const wanted = text.trim().toLowerCase();
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted);
  const commands = shortcutGroups.value
    .flatMap(({ shortcuts }) => shortcuts)
    .flatMap<Choice>(({ keys, label, run }) =>
      label === undefined || keys === "mod+k" ? [] : [{ group: "Commands", icon: "bolt", name: label, keys, run }],
    );
  const agentChoices = (agents.value ?? []).map<Choice>(({ id, name, status }) => ({
    group: "Agents",
    icon: "agent",
    name,
    note: status === "active" ? "" : status,
    run: () => go(`agents/${id}`),
  }));
  const runChoices = runs.map<Choice>(({ id, name, state, agent_name }) => ({
    group: "Runs",
    icon: runStates[state].icon,
    name: name || id,
    note: agent_name ?? "",
    run: () => go(`runs/${id}`),
  }));
  return [
    ...runChoices.slice(0, 8),
    ...agentChoices.filter(({ name }) => matches(name)).slice(0, 6),
    ...commands.filter(({ name }) => matches(name)).slice(0, 12),
  ];
}

/** The runs that the text finds, a moment after the last change. */
function useRuns(text: string): Run[] {
  const [runs, setRuns] = useState<Run[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const query = { q: text.trim(), limit: 8 };
      get<Page<Run>>("/runs", { query, signal: controller.signal }).then(
        ({ data }) => setRuns(data),
        () => {}, // agents and commands are found without the service
      );
    }, searchDelayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return runs;
}
