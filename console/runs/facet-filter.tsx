import { ChoiceChip, type ChoiceSearch } from "../ui/fields/choice-chip.tsx";

interface FacetFilterProps {
  /** What is filtered, such as `Model`. */
  name: string;
  /** The choice of no filter. */
  any?: string;
  /** Whether several values can be chosen: runs that have one of them. */
  several?: boolean;
  chosen: string[] | undefined;
  search?: ChoiceSearch;
  /** The values with their runs, as far as they are counted. `name`: default: the value. */
  values: { value: string; name?: string; count: number }[];
  onChoose: (values: string[]) => void;
}

/** A filter by values that the listed runs have, with counts. */
export function FacetFilter({
  name,
  any = "Any",
  several = false,
  chosen = [],
  search = { name: `Find a value of ${name}`, placeholder: "Find" },
  values,
  onChoose,
}: FacetFilterProps) {
  return (
    <ChoiceChip
      name={name}
      none="Any"
      all={any}
      values={values.map(({ value, name: word = value, count }) => [value, word, count])}
      empty="No listed run has one."
      search={search}
      searchFrom={8}
      most={20}
      several={several}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
