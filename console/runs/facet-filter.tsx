import type { RunCounts } from "../api/types.ts";
import { ChoiceChip, type ChoiceSearch } from "../ui/choice-chip.tsx";

interface FacetFilterProps {
  /** What is filtered, such as `Model`. */
  name: string;
  /** The choice of no filter. */
  any?: string;
  chosen: string | undefined;
  search?: ChoiceSearch;
  /** The values with their runs, as far as they are counted. */
  values: RunCounts["models"];
  onChoose: (value: string | undefined) => void;
}

/** A filter by one of the values that the listed runs have, with counts. */
export function FacetFilter({
  name,
  any = "Any",
  chosen,
  search = { name: `Find a value of ${name}`, placeholder: "Find" },
  values,
  onChoose,
}: FacetFilterProps) {
  return (
    <ChoiceChip
      name={name}
      none="Any"
      all={any}
      values={values.map(({ value, count }) => [value, value, count])}
      empty="No listed run has one."
      search={search}
      searchFrom={8}
      most={20}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
