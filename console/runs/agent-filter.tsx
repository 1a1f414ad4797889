import { useState } from "preact/hooks";
import { agentNames, agents } from "../state/agents.ts";
import { organization } from "../state/organization.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";

/** From this number of agents on, the menu has a search. */
const searchFrom = 10;
/** Agents that the menu shows at once; the search finds the others. */
const most = 50;

interface AgentFilterProps {
  /** ID of an agent. Undefined: all. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** The agent whose runs are listed. */
export function AgentFilter({ chosen, onChoose }: AgentFilterProps) {
  const [text, setText] = useState("");
  const choices = (agents.value ?? []).filter(
    ({ organization_id: owner }) => !organization.value || owner === organization.value.id,
  );
  const names = agentNames(choices);
  const wanted = text.trim().toLowerCase();
  const found = choices.filter(({ id }) => `${names.get(id)} ${id}`.toLowerCase().includes(wanted));
  const agent = agents.value?.find(({ id }) => id === chosen);
  const choose = (id: string | undefined): void => {
    setText("");
    onChoose(id);
  };
  return (
    <Menu
      class={chosen ? "chip on" : "chip"}
      label={
        <>
          Agent <b>{chosen ? <bdi>{agent?.name ?? chosen.slice(0, 8)}</bdi> : "All"}</b>
          <Icon name="down" />
        </>
      }
    >
      {choices.length >= searchFrom && (
        <input
          class="input"
          type="search"
          aria-label="Find an agent"
          placeholder="Find an agent"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {wanted === "" && (
        <button type="button" onClick={() => choose(undefined)}>
          All agents
        </button>
      )}
      {found.slice(0, most).map(({ id }) => (
        <button key={id} type="button" onClick={() => choose(id)}>
          <bdi>{names.get(id)}</bdi>
          {id === chosen && <Icon name="check" class="end" />}
        </button>
      ))}
      {found.length === 0 && <p class="title">No agent matches.</p>}
      {found.length > most && <p class="title">{found.length - most} more: type a part of the name</p>}
    </Menu>
  );
}
