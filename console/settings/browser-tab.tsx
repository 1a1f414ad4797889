import { helpOpen } from "../state/dialogs.ts";
import { setSingleKeys, singleKeys } from "../state/keyboard.ts";
import { organizationNames } from "../state/organization.ts";
import { roleText } from "../state/roles.ts";
import { me, signOut } from "../api/session.ts";
import { setTheme, theme, themes } from "../state/theme.ts";
import { Button } from "../ui/fields/button.tsx";
import { Check } from "../ui/fields/field.tsx";
import { Segments } from "../ui/fields/segments.tsx";

const themeNames = { system: "As the system", light: "Light", dark: "Dark" };

/** What this browser remembers: theme, shortcuts, the link. */
export function BrowserTab() {
  const operator = me.value;
  return (
    <section class="panel">
      <div class="setting">
        <div>
          <h2>Theme</h2>
          <p class="muted">Also in the menu at the top right.</p>
        </div>
        <Segments
          label="Theme"
          options={themes.map((each) => [each, themeNames[each]] as const)}
          value={theme.value}
          onChange={setTheme}
        />
      </div>
      <div class="setting">
        <div>
          <h2>Keyboard shortcuts</h2>
          <p class="muted">Single keys do nothing in text fields. Shortcuts with ⌘ or Ctrl always work.</p>
        </div>
        <Check checked={singleKeys.value} onChange={setSingleKeys}>
          Use single keys
        </Check>
        <Button size="small" onClick={() => (helpOpen.value = true)}>
          Show all
        </Button>
      </div>
      <div class="setting">
        <div>
          <h2>Sign-in</h2>
          <p class="muted">
            {operator && (
              <>
                <bdi>{operator.name}</bdi>, {roleText(operator, organizationNames.value)}. Agent Run Service{" "}
                {operator.version}
                {operator.stack !== null && `, stack ${operator.stack}`}.
              </>
            )}
          </p>
        </div>
        {operator?.sign_in === "token" && <Button onClick={signOut}>Sign out of this browser</Button>}
      </div>
    </section>
  );
}
