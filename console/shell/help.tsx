import { helpOpen } from "../state/dialogs.ts";
import { keyNames, setSingleKeys, type Shortcut, shortcutGroups, singleKeys } from "../state/keyboard.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { Check } from "../ui/fields/field.tsx";

/** The list of shortcuts, made of those that are registered now. */
export function Help() {
  const groups = new Map<string, Shortcut[]>();
  for (const { group, shortcuts } of shortcutGroups.value) {
    const listed = shortcuts.filter(({ label }) => label !== undefined);
    if (listed.length > 0) groups.set(group, [...(groups.get(group) ?? []), ...listed]);
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (helpOpen.value = false)} class="help">
      <div class="shortcuts">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map((shortcut) => (
                <ShortcutRow key={shortcut.keys} {...shortcut} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Check checked={singleKeys.value} onChange={setSingleKeys}>
        Single keys <span class="muted">Without them, shortcuts with {keyNames("mod+k")} still work.</span>
      </Check>
    </Dialog>
  );
}

function ShortcutRow({ keys, label }: Shortcut) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {keyNames(keys).map((name, index) => (
          <span key={index}>
            {index > 0 && "then "}
            <kbd>{name}</kbd>
          </span>
        ))}
      </dd>
    </div>
  );
}
