import { useState } from "preact/hooks";
import { blocked } from "../../state/blocked.ts";
import { Button } from "../../ui/fields/button.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { withStyle } from "../../ui/load-style.ts";
import type { RunDetail } from "../api.ts";
import type { Step } from "../model/run-model-types.ts";
import type { RunView } from "../view.ts";

const ForkDialog = loadLater(() => withStyle(import("./fork-dialog.tsx")).then((module) => module.ForkDialog));

/** Begins a new run with the record before a step. */
export function ForkButton({ step, view, detail }: { step: Step; view: RunView; detail: RunDetail }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>Fork</h3>
      </div>
      <p>
        <Button size="small" blocked={blocked("start runs", detail.organization_id)} onClick={() => setOpen(true)}>
          Fork from this step…
        </Button>
      </p>
      {isOpen && <ForkDialog step={step} view={view} detail={detail} onClose={() => setOpen(false)} />}
    </section>
  );
}
