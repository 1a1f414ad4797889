import { useState } from "preact/hooks";
import { commands, me } from "../api/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Segments } from "../ui/fields/segments.tsx";
import { adminCommand, curlCommand } from "./commands.ts";
import type { Draft } from "../form/json.ts";

interface SameChangeProps {
  draft: Draft;
  organizationId: string;
  agentId: string | undefined;
  revision: number | undefined;
}

/** The command that does what the button does. */
export function SameChange({ draft, organizationId, agentId, revision }: SameChangeProps) {
  const [language, setLanguage] = useState<"cli" | "curl">("cli");
  const name = typeof draft["name"] === "string" ? draft["name"] : "";
  const command =
    language === "cli"
      ? adminCommand(commands().admin, name, agentId, organizationId, me.value?.stack)
      : curlCommand(name, agentId, organizationId, location.origin, revision);
  return (
    <figure class="code prose">
      <header>
        The same change as
        <Segments
          label="Language"
          options={[
            ["cli", "CLI"],
            ["curl", "curl"],
          ]}
          value={language}
          onChange={setLanguage}
        />
        <CopyButton text={command} kind="plain" />
      </header>
      <pre>{command}</pre>
    </figure>
  );
}
