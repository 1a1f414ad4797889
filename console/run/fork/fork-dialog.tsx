import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { useResource } from "../../api/use-resource.ts";
import { keyNames } from "../../state/keyboard.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Check } from "../../ui/fields/field.tsx";
import { Loading } from "../../ui/empty.tsx";
import { Problem } from "../../ui/problem.tsx";
import type { RunDetail } from "../api.ts";
import type { Step } from "../model/run-model-types.ts";
import { formatPlace } from "../selection.ts";
import type { RunView } from "../view.ts";
import { type Changes, fork, forkRequest, readForkable } from "./fork-changes.ts";
import { ChangeFields, LiveTools } from "./fork-fields.tsx";

interface Props {
  step: Step;
  view: RunView;
  detail: RunDetail;
  onClose: () => void;
}

/** Asks what is different from a step on, and begins a new run with the record before it. */
export function ForkDialog({ step, view, detail, onClose }: Props) {
  const { route } = useLocation();
  const place = formatPlace(step);
  const { data, error } = useResource(place, () => readForkable(detail, view, step));
  const [changes, setChanges] = useState<Changes>({ name: "", model: "", results: {} });
  const [confirmed, setConfirmed] = useState(false);
  const { isBusy: busy, problem, run } = useAction();
  const reason = data ? (confirmed ? undefined : "Confirm that tools run live.") : "The step is being read.";

  function submit(): void {
    if (!data || reason !== undefined) return;
    void run(async () => route(`/console/runs/${(await fork(detail.id, forkRequest(data, changes))).id}`), true);
  }

  const footer = (
    <>
      <span class="muted">The fork is a run of its own. This run stays as it is.</span>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" hint={keyNames("mod+Enter").join("")} blocked={reason} disabled={busy} onClick={submit}>
        {busy ? "Forking…" : "Fork and open"}
      </Button>
    </>
  );
  return (
    <Dialog
      title={`Fork from step ${step.turn > 1 ? place : step.step}`}
      class="fork-dialog"
      onClose={onClose}
      footer={footer}
    >
      <form
        class="stack"
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
        }}
        onSubmit={(event) => event.preventDefault()}
      >
        <p>
          {step.step === 1
            ? "A new run with the input of the turn"
            : `A new run with the record up to step ${step.step - 1}`}{" "}
          and the files as they were then. From step {step.step} on, the model and its tools are <strong>live</strong>.
        </p>
        {detail.imported_from && (
          <p class="note">The run was imported: the fork runs on what its agent is now, not on what was recorded.</p>
        )}
        {!data && !error && <Loading rows={3} />}
        <Problem>{error?.message}</Problem>
        {data && <ChangeFields forkable={data} changes={changes} detail={detail} onChange={setChanges} />}
        {data && <LiveTools tools={changes.tools ?? data.tools} />}
        {data && (
          <Check checked={confirmed} onChange={setConfirmed}>
            Call the model and run its tools live
          </Check>
        )}
        <Problem>{problem}</Problem>
      </form>
    </Dialog>
  );
}
