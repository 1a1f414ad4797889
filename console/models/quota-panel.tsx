import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Organization, Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { formatBytes } from "../format.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Gauge } from "../ui/gauge.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/toast.tsx";
import { type Quota, readUse, setQuota } from "./model-calls.ts";

/** Milliseconds between two reads of what is used. */
const useInterval = 10_000;

interface Limit {
  name: string;
  /** Of an empty field: no limit. */
  help: string;
  /** What is used of the stored limit. */
  used?: keyof Schemas["Use"];
}

const limits: Record<keyof Quota, Limit> = {
  max_running: { name: "Runs at a time", help: "Turns in progress. Further runs wait." },
  max_dollars_per_day: {
    name: "Budget per day",
    help: "US dollars per day (UTC). Then new inputs are rejected. All agents need prices.",
  },
  max_stored_bytes: {
    name: "Stored files",
    help: "Bytes of the files of all runs together. Then creates with files are rejected.",
    used: "stored_bytes",
  },
  max_pending_upload_bytes: {
    name: "Pending uploads",
    help: "Bytes of the files that programs have registered in the last 24 hours. Then further ones are rejected.",
    used: "pending_upload_bytes",
  },
};
const names = Object.keys(limits) as (keyof Quota)[];

/** What all runs of an organization may use together. */
export function QuotaPanel({ organization }: { organization: Organization }) {
  const [typed, setTyped] = useState(() => recordOf((name) => textOf(organization[name])));
  const [problems, setProblems] = useState<Partial<Record<keyof Quota | "other", string>>>({});
  const [isBusy, setBusy] = useState(false);
  const { data: use } = useResource(organization.id, (signal) => readUse(organization.id, signal), useInterval);
  const quota: Quota = recordOf((name) => numberOf(typed[name]));
  const isWrong = names.some((name) => Number.isNaN(quota[name]));
  const isSame = names.every((name) => quota[name] === organization[name]);
  const reason = blocked("change quotas", organization.id);
  const isReadOnly = forbidden("change quotas", organization.id) !== undefined;
  useLeaveGuard(!isSame);

  async function save(): Promise<void> {
    setBusy(true);
    setProblems({});
    try {
      await setQuota(organization.id, quota);
      toast(`Saved the quota of ${organization.name}`);
    } catch (error) {
      const issues = error instanceof ApiError ? error.issues : [];
      const ofFields = issues.map(({ loc, msg }) => [String(loc[1]), msg] as const);
      setProblems(ofFields.length > 0 ? Object.fromEntries(ofFields) : { other: (error as Error).message });
    } finally {
      setBusy(false);
    }
  }

  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Quota</h2>
        <span class="muted">{reason ?? "What all its runs may use together"}</span>
      </header>
      <form
        class="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isWrong && !isSame && reason === undefined) void save();
        }}
      >
        <div class="field-row two">
          {names.map((key) => {
            const { name, help, used } = limits[key];
            const isAmount = key === "max_dollars_per_day";
            const wrong = isAmount ? "Enter an amount, such as 12.50." : "Enter a whole number.";
            const now = used && use?.[used];
            return (
              <div key={key}>
                <TextField
                  name={name}
                  help={`${help} Empty: no limit.`}
                  problem={problems[key] ?? (Number.isNaN(quota[key]) ? wrong : undefined)}
                  inputMode={isAmount ? "decimal" : "numeric"}
                  value={typed[key]}
                  readOnly={isReadOnly}
                  onInput={(text) => setTyped({ ...typed, [key]: text })}
                />
                {now && <Gauge label={`${name} now`} value={now.used} limit={now.limit} format={formatBytes} />}
              </div>
            );
          })}
        </div>
        <Problem>{problems.other}</Problem>
        <div class="panel-actions">
          <p />
          <Button
            type="submit"
            blocked={reason ?? (isSame ? "Nothing was changed." : undefined)}
            disabled={isBusy || isWrong}
          >
            Save quota
          </Button>
        </div>
      </form>
    </section>
  );
}

function recordOf<Value>(of: (name: keyof Quota) => Value): Record<keyof Quota, Value> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<keyof Quota, Value>;
}

function textOf(value: number | null): string {
  return value === null ? "" : value.toLocaleString("en-US", { maximumFractionDigits: 20 });
}

/** Null: empty. NaN: not a number. */
function numberOf(text: string): number | null {
  const digits = text.replaceAll(/[\s,$]/g, "");
  return digits === "" ? null : Number(digits);
}
