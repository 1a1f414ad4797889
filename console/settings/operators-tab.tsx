import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { blocked } from "../state/blocked.ts";
import { organizationNames } from "../state/organization.ts";
import { roleText } from "../state/roles.ts";
import { me } from "../api/session.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Loading } from "../ui/empty.tsx";
import { secretColumns } from "../ui/fields/expiry.tsx";
import { Problem } from "../ui/problem.tsx";
import { actionsHead, Rows } from "../ui/rows.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { CreateOperatorDialog } from "./create-operator-dialog.tsx";
import { LinkReveal } from "./link-reveal.tsx";
import { type CreatedOperator, type Operator, readOperators, revokeOperator } from "./settings-calls.ts";

/** The people and programs with a link to this console. */
export function OperatorsTab() {
  const { data: operators, error, ...resource } = useResource("operators", readOperators, 15_000);
  // A change is stored, whether the list can be read or not: it is read again later.
  const reload = (): void => void resource.reload().catch(() => undefined);
  const [isCreating, setCreating] = useState(false);
  // The token itself is in this state only, and gone when the dialog is closed.
  const [created, setCreated] = useState<CreatedOperator>();
  const reason = signInReason() ?? blocked("create links", null);
  return (
    <section class="panel scroll-x">
      <header class="panel-head">
        <h2>Operators</h2>
        <span class="muted">{reason ?? "Only a hash of each link’s token is kept"}</span>
        <Button size="small" icon="plus" blocked={reason} onClick={() => setCreating(true)}>
          Create link
        </Button>
      </header>
      <Problem>{error?.message}</Problem>
      {!operators && !error && <Loading rows={3} />}
      {operators?.length === 0 && <p class="none">{signInReason() ?? "No links yet."}</p>}
      {operators && operators.length > 0 && <OperatorTable operators={operators} reload={reload} />}
      {isCreating && (
        <CreateOperatorDialog
          onClose={() => setCreating(false)}
          onCreated={(operator) => {
            setCreating(false);
            setCreated(operator);
            reload();
          }}
        />
      )}
      {created && <LinkReveal created={created} onClose={() => setCreated(undefined)} />}
    </section>
  );
}

/** Why there are no links: a stack knows its operators from elsewhere. */
function signInReason(): string | undefined {
  const signIn = me.value?.sign_in;
  if (signIn === "aws") return "Operators of this stack sign in with their AWS credentials.";
  return signIn === "jwt" ? "Operators of this stack sign in with their identity provider." : undefined;
}

function OperatorTable({ operators, reload }: { operators: Operator[]; reload: () => void }) {
  const [revoking, setRevoking] = useState<Operator>();
  const reason = blocked("revoke links", null);
  return (
    <>
      <Rows
        rows={operators}
        keyOf={({ id }) => id}
        rowProps={({ enabled }) => ({ class: enabled ? "" : "off" })}
        columns={[
          {
            head: "Name",
            cell: (operator) => (
              <>
                <bdi>{operator.name}</bdi> {isMe(operator) && <span class="badge accent">you</span>}
              </>
            ),
          },
          { head: "Role", cell: (operator) => roleText(operator, organizationNames.value) },
          ...secretColumns,
          {
            head: actionsHead,
            cellClass: "number",
            cell: (operator) =>
              operator.enabled ? (
                <Button size="small" kind="danger" blocked={reason} onClick={() => setRevoking(operator)}>
                  Revoke…
                </Button>
              ) : (
                <span class="badge">revoked</span>
              ),
          },
        ]}
      />
      {revoking && (
        <Confirm
          title={`Revoke the link of “${revoking.name}”?`}
          action="Revoke"
          danger
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeOperator(revoking.id);
            toast(`Revoked ${revoking.name}`);
            reload();
          }}
        >
          Requests with it get 401 from now on. {isMe(revoking) && "It is yours: you are signed out. "}A revoked link
          cannot be restored; create another one instead.
        </Confirm>
      )}
    </>
  );
}

/** By name: the service does not say which token a request came with. */
function isMe({ name, enabled }: Operator): boolean {
  return enabled && me.value?.sign_in === "token" && me.value.name === name;
}
