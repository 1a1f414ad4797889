import { startDialog } from "../state/dialogs.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The dialog that starts a run. */
export function StartDialog() {
  return (
    <Dialog title="Start run" onClose={() => (startDialog.value = undefined)}>
      <p />
    </Dialog>
  );
}
