import { agentChoices } from "../state/agent-names.ts";
import { organization } from "../state/organization.ts";
import { ChoiceChip } from "../ui/choice-chip.tsx";

interface AgentFilterProps {
  /** ID of an agent. Undefined: all. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** The agent whose runs are listed. */
export function AgentFilter({ chosen, onChoose }: AgentFilterProps) {
  return (
    <ChoiceChip
      name="Agent"
      all="All agents"
      find="Find an agent"
      values={agentChoices(organization.value?.id)}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
