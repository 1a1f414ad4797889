import { helpOpen } from "../state/dialogs.ts";
import { keyNames, setSingleKeys, shortcutGroups, singleKeys } from "../state/keyboard.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The list of shortcuts, made of those that are registered now. */
export function Help() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (helpOpen.value = false)} class="help">
      {shortcutGroups.value.map(({ group, shortcuts }) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {shortcuts
              .filter(({ label }) => label !== undefined)
              .map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {keyNames(keys).map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Use single keys
      </label>
    </Dialog>
  );
}
