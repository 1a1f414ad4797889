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

/** What all runs of an organization may use together. */
export function QuotaPanel({ organization }: { organization: Organization }) {
  const [running, setRunning] = useState(textOf(organization.max_running));
  const [dollars, setDollars] = useState(textOf(organization.max_dollars_per_day));
  const [stored, setStored] = useState(textOf(organization.max_stored_bytes));
  const [pending, setPending] = useState(textOf(organization.max_pending_upload_bytes));
  const [problems, setProblems] = useState<Partial<Record<keyof Quota | "other", string>>>({});
  const [isBusy, setBusy] = useState(false);
  const { data: use } = useResource(organization.id, (signal) => readUse(organization.id, signal), useInterval);
  const quota: Quota = {
    max_running: numberOf(running),
    max_dollars_per_day: numberOf(dollars),
    max_stored_bytes: numberOf(stored),
    max_pending_upload_bytes: numberOf(pending),
  };
  const isWrong = Object.values(quota).some(Number.isNaN);
  const isSame = Object.entries(quota).every(([name, limit]) => limit === organization[name as keyof Quota]);
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
          <QuotaField
            name="Runs at a time"
            help="Turns in progress. Further runs wait. Empty: no limit."
            problem={problems.max_running ?? wrong(quota.max_running, wholeNumber)}
            {...{ value: running, set: setRunning, isReadOnly }}
          />
          <QuotaField
            name="Budget per day"
            help="US dollars per day (UTC). Then new inputs are rejected. All agents need prices. Empty: no limit."
            problem={
              problems.max_dollars_per_day ?? wrong(quota.max_dollars_per_day, "Enter an amount, such as 12.50.")
            }
            inputMode="decimal"
            {...{ value: dollars, set: setDollars, isReadOnly }}
          />
          <QuotaField
            name="Stored files"
            help="Bytes of the files of all runs together. Then creates with files are rejected. Empty: no limit."
            problem={problems.max_stored_bytes ?? wrong(quota.max_stored_bytes, wholeNumber)}
            use={use?.stored_bytes}
            {...{ value: stored, set: setStored, isReadOnly }}
          />
          <QuotaField
            name="Pending uploads"
            help="Bytes of the files that programs have registered in the last 24 hours. Then further ones are rejected. Empty: no limit."
            problem={problems.max_pending_upload_bytes ?? wrong(quota.max_pending_upload_bytes, wholeNumber)}
            use={use?.pending_upload_bytes}
            {...{ value: pending, set: setPending, isReadOnly }}
          />
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

const wholeNumber = "Enter a whole number.";

/** A field for one limit, as the person types it. `use`: bytes of the stored limit that are used. */
function QuotaField({
  value,
  set,
  isReadOnly,
  inputMode = "numeric",
  use,
  ...field
}: {
  name: string;
  help: string;
  problem: string | undefined;
  value: string;
  set: (value: string) => void;
  isReadOnly: boolean;
  inputMode?: "numeric" | "decimal";
  use?: Schemas["Use"]["stored_bytes"] | undefined;
}) {
  return (
    <div>
      <TextField {...field} inputMode={inputMode} value={value} readOnly={isReadOnly} onInput={set} />
      {use && <Gauge label={`${field.name} now`} value={use.used} limit={use.limit} format={formatBytes} />}
    </div>
  );
}

function textOf(value: number | null): string {
  return value === null ? "" : value.toLocaleString("en-US", { maximumFractionDigits: 20 });
}

/** Null: empty. NaN: not a number. */
function numberOf(text: string): number | null {
  const digits = text.replaceAll(/[\s,$]/g, "");
  return digits === "" ? null : Number(digits);
}

function wrong(value: number | null, text: string): string | undefined {
  return Number.isNaN(value) ? text : undefined;
}
