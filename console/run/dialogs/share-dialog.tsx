import { useEffect, useState } from "preact/hooks";
import { me } from "../../api/session.ts";
import { formatDateTime } from "../../format.ts";
import { shareUrl } from "../../state/share-path.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { SelectField } from "../../ui/fields/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import type { CreatedRunToken, RunApi, RunToken } from "../api.ts";

const lifetimes: [seconds: number, name: string][] = [
  [3_600, "1 hour"],
  [86_400, "1 day"],
  [7 * 86_400, "7 days"],
  [30 * 86_400, "30 days"],
];

/** Creates links that show the run without signing in, and revokes them. */
export function ShareDialog({ api, onClose }: { api: RunApi; onClose: () => void }) {
  const [seconds, setSeconds] = useState(3_600);
  const [created, setCreated] = useState<CreatedRunToken>();
  const [tokens, setTokens] = useState<RunToken[]>();
  const { isBusy, problem, run } = useAction();

  const change = (action: () => Promise<unknown>): void =>
    void run(async () => {
      await action();
      setTokens(await api.tokens());
    });
  useEffect(() => change(async () => undefined), [api]);
  // On AWS, the page and the API of programs have different addresses.
  const isLink = me.value?.platform !== "aws";

  return (
    <Dialog title="Share this run" narrow onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <div class="stack">
        <p>
          {isLink
            ? "Anyone with the link can read this run with its texts and files, without signing in, and nothing else."
            : "Anyone with the token can read this run with its texts and files over /ext/v1, and nothing else."}
        </p>
        <SelectField name="Valid for" value={seconds} options={lifetimes} onChange={setSeconds} />
        <p>
          <Button
            kind="primary"
            disabled={isBusy}
            onClick={() => change(async () => setCreated(await api.createToken(seconds)))}
          >
            {isLink ? "Create link" : "Create token"}
          </Button>
        </p>
        {created && (
          <Code
            wrap
            title={isLink ? "Link, shown once" : "Token, shown once"}
            text={isLink ? shareUrl(created.token) : created.token}
          />
        )}
        <Problem>{problem}</Problem>
        {tokens && tokens.length > 0 && (
          <ul class="share-tokens" aria-label="Valid links">
            {tokens.map(({ id, created_at, expires_at }) => (
              <li key={id}>
                <span>
                  Created {formatDateTime(created_at)}, valid until {formatDateTime(expires_at)}
                </span>
                <Button
                  size="small"
                  kind="danger"
                  disabled={isBusy}
                  onClick={() =>
                    change(async () => {
                      await api.revokeToken(id);
                      if (created?.id === id) setCreated(undefined);
                    })
                  }
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
