import { token } from "../state/session.ts";
import { Code } from "../ui/code.tsx";
import { Glyph } from "../ui/icon.tsx";

/** The screen of a visitor without a valid link. */
export function Gate() {
  const known = token.value !== undefined;
  return (
    <main class="gate">
      <Glyph />
      <h1>{known ? "This link was revoked" : "Sign in"}</h1>
      <p>
        {known
          ? "The service does not accept it any more. Get a new one, and open it:"
          : "The console opens with a link from the machine that runs the service. Get one, and open it:"}
      </p>
      <Code title="Terminal" text="npm run -s admin -- operator link" />
    </main>
  );
}
