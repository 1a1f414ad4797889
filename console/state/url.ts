import { useLocation } from "preact-iso/router";
import { useNavigate } from "./leave-guard.ts";

/** The query of the address, and a function that changes fields of it. Empty fields are left out. */
export function useQuery(): [
  query: Record<string, string>,
  set: (changes: Record<string, string | undefined>, how?: { push?: boolean }) => void,
] {
  const { query } = useLocation();
  const navigate = useNavigate();
  return [
    query,
    (changes, { push = false } = {}) => {
      // From the address itself: two changes in a row must not undo each other.
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === "") next.delete(name);
        else next.set(name, value);
      }
      const search = next.toString();
      navigate(location.pathname + (search && `?${search}`) + location.hash, !push);
    },
  ];
}

/** An address of the console. Empty fields are left out. */
export function pageUrl(path: string, query: Record<string, string | undefined> = {}): string {
  const present = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(present).toString();
  return `/console/${path}${search && `?${search}`}`;
}
