import { useEffect } from "preact/hooks";
import { openSession, type SignInConfig, signInAgain, signInConfig } from "../api/provider.ts";
import { refused, token } from "../api/session.ts";
import { Button } from "../ui/fields/button.tsx";
import { Code } from "../ui/code.tsx";
import { Glyph } from "../ui/icon.tsx";

/** The screen of a visitor who is not signed in. */
export function Gate() {
  useEffect(() => void openSession(), []);
  const config = signInConfig.value;
  if (config === undefined && refused.value === undefined) return <main class="gate" aria-busy="true" />;
  return (
    <main class="gate">
      <Glyph />
      {config?.sign_in === "token" ? <LinkGate command={config.link_command} /> : <ProviderGate config={config} />}
    </main>
  );
}

function LinkGate({ command }: { command: string }) {
  const known = token.value !== undefined;
  return (
    <>
      <h1>{known ? "This link was revoked" : "Sign in"}</h1>
      <p>
        {known
          ? "The service does not accept it any more. Get a new one, and open it:"
          : "The console opens with a link from the machine that runs the service. Get one, and open it:"}
      </p>
      <Code title="Terminal" text={command} />
    </>
  );
}

/** While the page goes to the provider, it shows nothing that a person could press. */
function ProviderGate({ config }: { config: SignInConfig | undefined }) {
  if (refused.value === undefined) return <p>Signing in …</p>;
  return (
    <>
      <h1>Sign in</h1>
      <p>{refused.value}</p>
      {config?.sign_in === "oidc" ? (
        <Button kind="primary" onClick={() => void signInAgain(config)}>
          Sign in
        </Button>
      ) : (
        <Button kind="primary" onClick={() => location.reload()}>
          Try again
        </Button>
      )}
    </>
  );
}
