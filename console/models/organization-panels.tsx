import { SetWebFetchRequest, UpdateOrganizationRequest } from "../../src/manage/generated/form-schemas.ts";
import type { Organization, Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { fieldsOf } from "../form/schema-fields.ts";
import { formatBytes } from "../format.ts";
import { Gauge } from "../ui/gauge.tsx";
import { readUse, setQuota, setWebFetchHosts } from "./model-calls.ts";
import { SettingsPanel } from "./settings-panel.tsx";

/** Milliseconds between two reads of what is used. */
const useInterval = 10_000;

const quotaFields = fieldsOf(UpdateOrganizationRequest, {
  labels: {
    max_running: "Runs at a time",
    max_dollars_per_day: "Budget per day",
    max_stored_bytes: "Stored files",
    max_pending_upload_bytes: "Pending uploads",
  },
  helps: {
    max_running: "Turns in progress. Further runs wait. Empty: no limit.",
    max_dollars_per_day:
      "US dollars per day (UTC). Then new inputs are rejected. All agents need prices. Empty: no limit.",
    max_stored_bytes: "Bytes of the files of all runs together. Then creates with files are rejected. Empty: no limit.",
    max_pending_upload_bytes:
      "Bytes of the files that programs have registered in the last 24 hours. Then further ones are rejected. Empty: no limit.",
  },
}).filter(({ kind }) => kind === "number");

/** What is used of the quotas that the service counts all the time. */
const used: Record<string, keyof Schemas["Use"]> = {
  max_stored_bytes: "stored_bytes",
  max_pending_upload_bytes: "pending_upload_bytes",
};

/** What all runs of an organization may use together. */
export function QuotaPanel({ organization }: { organization: Organization }) {
  const { data: use } = useResource(organization.id, (signal) => readUse(organization.id, signal), useInterval);
  return (
    <SettingsPanel
      title="Quota"
      hint="What all its runs may use together"
      noun="quota"
      organization={organization}
      fields={quotaFields}
      stored={organization}
      save={setQuota}
      below={(name) => {
        const now = used[name] && use?.[used[name]];
        const label = quotaFields.find((field) => field.name === name)?.label;
        return now && <Gauge label={`${label} now`} value={now.used} limit={now.limit} format={formatBytes} />;
      }}
    />
  );
}

const hostFields = fieldsOf(SetWebFetchRequest, {
  labels: { hosts: "Hosts of web_fetch" },
  helps: { hosts: "Such as docs.example.com, or *.example.com for all below example.com. Empty: all." },
});

/** The hosts that web_fetch can reach, for agents that name none. */
export function WebFetchPanel({ organization }: { organization: Organization }) {
  return (
    <SettingsPanel
      title="Web pages"
      hint="What its agents can fetch, unless they name hosts"
      noun="hosts"
      organization={organization}
      fields={hostFields}
      stored={{ hosts: organization.web_fetch_hosts }}
      save={setWebFetchHosts}
    />
  );
}
