import type { AgentSummary, Schemas } from "../../api/types.ts";
import { visibleLine } from "../../run/text/visible.ts";
import { maxCases } from "../../../src/trials/names.ts";
import { SelectField, TextField } from "../../ui/fields/field.tsx";
import { AssertionFields } from "./assertion-fields.tsx";
import { assertionsOf, type TypedAssertion } from "./typed-assertions.ts";

/** The settings of a trial, as typed. */
export interface TrySettings {
  last: string;
  /** Name of a suite, whose cases are tried in place of the last turns. Empty: none. */
  suite: string;
  control: string;
  budget: string;
  /** Empty: that of the agents. */
  tier: "" | "flex";
  outside: "stop" | "error";
  /** Id of the agent that judges outputs that differ. Empty: none. */
  judge: string;
  assertions: TypedAssertion[];
}

/** The unit of the budget. Dollars need prices. */
export type BudgetUnit = "dollars" | "tokens";

export function firstSettings(unit: BudgetUnit): TrySettings {
  return {
    last: "20",
    suite: "",
    control: "5",
    budget: unit === "dollars" ? "2" : "500000",
    tier: "",
    outside: "stop",
    judge: "",
    assertions: [],
  };
}

/** The request for a trial of a draft, or a message about the setting that cannot be used. */
export function requestOf(
  { last, suite, control, budget, tier, outside, judge, assertions: typed }: TrySettings,
  unit: BudgetUnit,
  definition: Schemas["AgentDefinition"],
): Schemas["CreateTrialRequest"] | string {
  const [turns, controlled, most] = [last, control, budget].map(Number) as [number, number, number];
  if (suite === "" && !isWhole(turns, 1)) return `Recent turns: enter a whole number from 1 to ${maxCases}.`;
  const cases = suite === "" ? { last: turns } : { suite };
  if (control.trim() === "" || !isWhole(controlled, 0)) return `Control: enter a whole number from 0 to ${maxCases}.`;
  if (!(most > 0) || (unit === "tokens" && !Number.isInteger(most))) {
    return unit === "tokens" ? "Budget: enter a whole number of tokens above 0." : "Budget: enter dollars above 0.";
  }
  const limit = unit === "dollars" ? { dollars: most } : { tokens: most };
  const assertions = assertionsOf(typed);
  if (typeof assertions === "string") return assertions;
  return {
    mode: "rerun",
    definition,
    ...cases,
    control: controlled,
    concurrency,
    budget: limit,
    ...(tier !== "" && { tier }),
    outside: { default: outside },
    assertions,
    ...(judge !== "" && { judge: { agent_id: judge } }),
  };
}

/** Cases at once, the default of the API. */
const concurrency = 4;

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least && value <= maxCases;
}

interface TrySettingsFieldsProps {
  settings: TrySettings;
  unit: BudgetUnit;
  /** Names of the suites of the agent. */
  suites: string[];
  /** The agents that can judge. */
  judges: Pick<AgentSummary, "id" | "name">[];
  disabled: boolean;
  onChange: (settings: TrySettings) => void;
}

/** The fields of a trial. */
export function TrySettingsFields({ settings, unit, suites, judges, disabled, onChange }: TrySettingsFieldsProps) {
  const set = (changes: Partial<TrySettings>): void => onChange({ ...settings, ...changes });
  const number = (name: "last" | "control" | "budget", title: string, help: string) => (
    <TextField
      name={title}
      help={help}
      inputMode={name === "budget" && unit === "dollars" ? "decimal" : "numeric"}
      disabled={disabled || (name === "last" && settings.suite !== "")}
      value={settings[name]}
      onInput={(value) => set({ [name]: value })}
    />
  );
  return (
    <>
      {suites.length > 0 && (
        <SelectField
          name="Cases"
          disabled={disabled}
          value={settings.suite}
          options={[["", "Recent turns"], ...suites.map((name) => [name, `Suite ${name}`] as const)]}
          onChange={(suite) => set({ suite })}
        />
      )}
      <div class="field-row three">
        {number("last", "Recent turns", "The last ones that ended with an output.")}
        {number(
          "control",
          "Control",
          "Cases that are also tried with the current configuration. They show how much it varies by itself.",
        )}
        {unit === "dollars"
          ? number("budget", "Budget in dollars", "No case starts beyond it.")
          : number("budget", "Budget in tokens", "The cost is unknown: the agent has no prices.")}
      </div>
      <SelectField
        name="Service tier"
        help="Flex is cheaper and slower. OpenAI, Azure OpenAI and Amazon Bedrock have it."
        disabled={disabled}
        value={settings.tier}
        options={[
          ["", "As the agents"],
          ["flex", "Flex"],
        ]}
        onChange={(tier) => set({ tier })}
      />
      <SelectField
        name="Outside calls"
        help="Calls of web pages, MCP servers, client tools and people are answered from the record. This rule is for calls that are not in it. No other system is called."
        disabled={disabled}
        value={settings.outside}
        options={[
          ["stop", "A call that is not in the record ends the case"],
          ["error", "A call that is not in the record returns an error to the model"],
        ]}
        onChange={(outside) => set({ outside })}
      />
      <SelectField
        name="Judge"
        help="An agent whose instructions say what is better. It compares outputs that differ, in both orders, without tools and without knowing which one is the draft's."
        disabled={disabled}
        value={settings.judge}
        options={[["", "No judge"], ...judges.map(({ id, name }) => [id, visibleLine(name, 120)] as const)]}
        onChange={(judge) => set({ judge })}
      />
      <AssertionFields
        assertions={settings.assertions}
        disabled={disabled}
        onChange={(assertions) => set({ assertions })}
      />
    </>
  );
}
