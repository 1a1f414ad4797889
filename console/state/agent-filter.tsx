import { ChoiceChip } from "../ui/fields/choice-chip.tsx";
import { agentNames } from "./agent-names.ts";
import { agents } from "./agents.ts";
import { organization } from "./organization.ts";

interface AgentFilterProps {
  /** ID of an agent. Undefined: all. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** A filter by one agent of the chosen organization. */
export function AgentFilter({ chosen, onChoose }: AgentFilterProps) {
  const owner = organization.value?.id;
  const choices = (agents.value ?? []).filter((each) => (owner ?? each.organization_id) === each.organization_id);
  return (
    <ChoiceChip
      name="Agent"
      all="All agents"
      search={{ name: "Find an agent" }}
      values={[...agentNames(choices)]}
      unlisted={chosen?.slice(0, 8)}
      chosen={chosen === undefined ? [] : [chosen]}
      onChoose={([agent]) => onChoose(agent)}
    />
  );
}
