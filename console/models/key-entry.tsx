import { useState } from "preact/hooks";
import { me } from "../api/session.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { TextField } from "../ui/fields/field.tsx";
import { storeKey } from "./model-calls.ts";

interface KeyEntryProps {
  organizationId: string;
  /** The further model configuration that it is for. Undefined: the organization's model. */
  configuration: string | undefined;
  /** The server that the key is for. Undefined: its address is missing or not a URL. */
  server: string | undefined;
  /** Called with the location of the stored key. */
  onStored: (location: string) => void;
  onClose: () => void;
}

/** Stores a key that the operator enters. It is never shown again. */
export function KeyEntry({ organizationId, configuration, server, onStored, onClose }: KeyEntryProps) {
  const [value, setValue] = useState("");
  const { isBusy, problem, run } = useAction();

  async function store(): Promise<void> {
    const key = value.trim();
    if (server === undefined || key === "") return;
    await run(async () => onStored(await storeKey({ id: organizationId, name: configuration }, key, server)), true);
  }

  const place =
    me.value?.platform === "aws" ? "in AWS Secrets Manager" : "in a file that only the service’s user can read";
  return (
    <div class="key-entry">
      <TextField
        name="Key"
        problem={problem}
        help={
          server === undefined
            ? "Enter the base URL first: the key is stored for this server alone."
            : `Stored ${place}, for ${URL.parse(server)?.host} alone. It replaces the key that was stored before, and is never shown again.`
        }
        class="mono"
        type="password"
        autofocus
        spellcheck={false}
        value={value}
        onInput={setValue}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          void store();
        }}
      />
      <div class="row">
        <Button
          size="small"
          blocked={
            server === undefined
              ? "Enter the base URL first."
              : value.trim() === ""
                ? "Paste the key first."
                : undefined
          }
          disabled={isBusy}
          onClick={() => void store()}
        >
          {isBusy ? "Storing…" : "Store key"}
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
