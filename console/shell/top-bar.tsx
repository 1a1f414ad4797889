import { organization, organizationNames, organizations, chooseOrganization } from "../state/organization.ts";
import { helpOpen, paletteOpen } from "../state/dialogs.ts";
import { keyNames } from "../state/keyboard.ts";
import { endSession } from "../api/provider.ts";
import { roleText } from "../state/roles.ts";
import { me } from "../api/session.ts";
import { waitingCalls } from "../state/waiting.ts";
import { setTheme, theme, themes } from "../state/theme.ts";
import { Glyph, Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/dialogs/menu.tsx";
import { ConnectionState } from "./connection.tsx";
import { sections } from "./sections.ts";

export function TopBar({ path }: { path: string }) {
  return (
    <header class="top-bar">
      <a class="brand" href="/console/runs" aria-label="Agent Run Service">
        <Glyph />
        <span>Agent Run Service</span>
      </a>
      <span class="slash" />
      <OrganizationMenu />
      <nav class="sections" aria-label="Sections">
        {sections.map((section) => {
          const url = `/console/${section.path}`;
          const current =
            path.startsWith(url) ||
            (section.path === "runs" && ["/console", "/console/texts"].includes(path)) ||
            (section.path === "agents" && path.startsWith("/console/trials/"));
          return (
            <a key={url} href={url} aria-current={current ? "page" : undefined}>
              <Icon name={section.icon} />
              {section.name}
              {section.path === "waiting" && waitingCalls.value > 0 && (
                <span class="count-dot">{waitingCalls.value}</span>
              )}
            </a>
          );
        })}
      </nav>
      <button type="button" class="search" onClick={() => (paletteOpen.value = true)}>
        <Icon name="search" />
        <span>Search or run a command</span>
        <kbd>{keyNames("mod+k")}</kbd>
      </button>
      <ConnectionState />
      <OperatorMenu />
    </header>
  );
}

function OrganizationMenu() {
  const name = organization.value?.name ?? "All organizations";
  return (
    <Menu
      class="button plain"
      label={
        <>
          <bdi>{name}</bdi>
          <Icon name="down" />
        </>
      }
    >
      <button type="button" onClick={() => chooseOrganization(undefined)}>
        All organizations
        {!organization.value && <Icon name="check" class="end" />}
      </button>
      {organizations.value?.map(({ id, name: each }) => (
        <button key={id} type="button" onClick={() => chooseOrganization(id)}>
          <bdi>{each}</bdi>
          {organization.value?.id === id && <Icon name="check" class="end" />}
        </button>
      ))}
      <hr />
      <a href="/console/models">Manage organizations and models</a>
    </Menu>
  );
}

function OperatorMenu() {
  const operator = me.value;
  const name = operator?.name ?? "Operator";
  return (
    <Menu
      class="avatar"
      align="end"
      label={
        <>
          {initials(name)}
          <span class="visually-hidden"> Operator {name}</span>
        </>
      }
    >
      <p class="title">
        <bdi>{name}</bdi>
        {operator && `, ${roleText(operator, organizationNames.value)}`}
      </p>
      <hr />
      {themes.map((each) => (
        <button key={each} type="button" onClick={() => setTheme(each)}>
          {{ system: "Theme of the system", light: "Light", dark: "Dark" }[each]}
          {theme.value === each && <Icon name="check" class="end" />}
        </button>
      ))}
      <hr />
      <button type="button" onClick={() => (helpOpen.value = true)}>
        Keyboard shortcuts
      </button>
      <button type="button" onClick={endSession}>
        Sign out of this browser
      </button>
    </Menu>
  );
}

/** The first letters of the first two words of a name, or of its only word: `am`, `mi`. */
function initials(name: string): string {
  const [first = "", second] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [a = "", b = ""] = first;
  return (a + (second === undefined ? b : String.fromCodePoint(second.codePointAt(0) ?? 0))).toLowerCase();
}
