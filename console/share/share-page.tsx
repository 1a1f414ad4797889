import { LocationProvider } from "preact-iso/router";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { RunContent } from "../run/run-content.tsx";
import { RunStore } from "../run/run-store.ts";
import { useRunStore } from "../run/use-run-store.ts";
import { handleKey } from "../state/keyboard.ts";
import { usePageTitle } from "../state/page-title.ts";
import { useQuery } from "../state/url.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { Toasts } from "../ui/dialogs/toast.tsx";
import { runIdOf, sharedRun } from "./shared-run.ts";

/** A run for somebody who has its link, and nothing else of the console. */
export function SharePage() {
  const [token, setToken] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const follow = (): void => setToken(location.hash.slice(1));
    addEventListener("hashchange", follow);
    addEventListener("keydown", handleKey);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("keydown", handleKey);
    };
  }, []);
  const id = runIdOf(token);
  return (
    <LocationProvider scope="/console">
      {id === undefined ? <NoRun /> : <SharedRun key={token} id={id} token={token} />}
      <Toasts />
    </LocationProvider>
  );
}

function SharedRun({ id, token }: { id: string; token: string }) {
  const [, setQuery] = useQuery();
  const [api] = useState(() => sharedRun(id, token));
  const { store, detail, error } = useRunStore(() => new RunStore(api, (at) => setQuery({ at })));
  if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return <NoRun reason={error.code} />;
  if (error && !detail) {
    return (
      <main class="page">
        <Empty wholePage title="The run could not be loaded">
          <p>{error.message}</p>
        </Empty>
      </main>
    );
  }
  if (!detail) {
    return (
      <main class="page">
        <Loading />
      </main>
    );
  }
  return <RunContent store={store} api={api} detail={detail} onDeleted={() => undefined} />;
}

function NoRun({ reason }: { reason?: string }) {
  usePageTitle("Shared run");
  return (
    <main class="page">
      <Empty wholePage title={reason === "key_expired" ? "This link has expired" : "This link shows no run"}>
        <p>
          {reason === undefined
            ? "The link is not complete. Copy all of it, also what follows #."
            : "It expired, was revoked, or its run was deleted. Ask the person who sent it for another one."}
        </p>
      </Empty>
    </main>
  );
}
