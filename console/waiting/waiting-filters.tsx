import type { OpenCall } from "../api/types.ts";
import { askKinds } from "../run/waiting/ask-kinds.ts";
import { AgentFilter } from "../state/agent-filter.tsx";
import { useQuery } from "../state/url.ts";
import { ChoiceChip } from "../ui/fields/choice-chip.tsx";

const kinds = (Object.keys(askKinds) as OpenCall["kind"][]).map((kind) => [kind, askKinds[kind].word] as const);
const answerers = [
  ["me", "I may answer"],
  ["operators", "Only operators"],
] as const;

/** Which calls are listed: parameters of `list_waiting`. */
export interface WaitingFilter {
  kind?: OpenCall["kind"][];
  agent_id?: string;
  answerable_by?: (typeof answerers)[number][0];
}

/** The filter in the address. */
export function useWaitingFilter(): WaitingFilter {
  const [{ kind, agent, who }] = useQuery();
  const ofKind = kinds.find(([value]) => value === kind)?.[0];
  const by = answerers.find(([value]) => value === who)?.[0];
  return { ...(ofKind && { kind: [ofKind] }), ...(agent && { agent_id: agent }), ...(by && { answerable_by: by }) };
}

export function isFiltered(filter: WaitingFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** The filters of the list. All of them are in the address. */
export function WaitingFilters({ filter }: { filter: WaitingFilter }) {
  const [, setQuery] = useQuery();
  return (
    <div class="filter-bar">
      <ChoiceChip
        name="Kind"
        all="All kinds"
        values={kinds}
        chosen={filter.kind ?? []}
        onChoose={([kind]) => setQuery({ kind })}
      />
      <AgentFilter chosen={filter.agent_id} onChoose={(agent) => setQuery({ agent })} />
      <ChoiceChip
        name="Who"
        all="Everyone"
        values={answerers}
        chosen={filter.answerable_by ? [filter.answerable_by] : []}
        onChoose={([who]) => setQuery({ who })}
      />
    </div>
  );
}
