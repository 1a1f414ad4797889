import { useLocation } from "preact-iso/router";
import { leaving } from "../state/leave-guard.ts";
import { Confirm } from "../ui/dialogs/confirm.tsx";

/** Asks before unsaved edits are lost. */
export function LeaveDialog() {
  const { route } = useLocation();
  return (
    <Confirm
      title="Leave without saving?"
      action="Discard changes"
      cancel="Keep editing"
      danger
      onClose={() => (leaving.value = undefined)}
      onConfirm={async () => {
        const { url, replace } = leaving.value ?? {};
        if (url !== undefined) route(url, replace);
      }}
    >
      What you changed on this page is lost.
    </Confirm>
  );
}
