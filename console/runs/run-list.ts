import { computed, signal } from "@preact/signals";
import { ApiError, get } from "../api/client.ts";
import { poll } from "../api/poll.ts";
import { me } from "../state/session.ts";
import type { Page, Run, RunCounts } from "../api/types.ts";

const pageSize = 50;
/** Over a stack, a page of the list takes 16 small Queries for each agent. */
const refreshMs = { local: 2_000, aws: 6_000 };
/** The counts are read again when a shown run changes its state, and otherwise in this interval. */
const countsMs = 20_000;
/** Rows that are added by scrolling alone. More take a click: each row has about 20 nodes. */
export const rowsByScrolling = 500;

function refreshInterval(): number {
  return refreshMs[me.value?.platform ?? "local"];
}

type Query = Record<string, string | undefined>;

/**
 * The runs that a query finds, kept up to date. Values of shown runs change in place. New runs wait in `arrived`, unless
 * `mayInsert` allows to insert them at once: the list never moves under the reader.
 */
export class RunList {
  readonly runs = signal<Run[] | undefined>(undefined);
  readonly counts = signal<RunCounts | undefined>(undefined);
  readonly error = signal<ApiError | undefined>(undefined);
  readonly arrived = signal<Run[]>([]);
  readonly loadingMore = signal(false);
  /** Ids of shown runs that no longer match the query. */
  readonly stale = signal<ReadonlySet<string>>(new Set());
  readonly hasMore = computed(() => this.#next.value !== null);

  readonly #next = signal<string | null>(null);
  readonly #query: () => Query;
  readonly #mayInsert: () => boolean;

  constructor(query: () => Query, mayInsert: () => boolean) {
    this.#query = query;
    this.#mayInsert = mayInsert;
  }

  /** Keeps the list up to date until `until` is aborted. */
  watch(until: AbortSignal): void {
    let counted: { at: number; states: string } | undefined;
    void poll(refreshInterval, until, async () => {
      try {
        const page = await this.#firstPage(until);
        const states = page.data.map(({ id, state }) => `${id} ${state}`).join();
        if (!counted || counted.states !== states || Date.now() - counted.at > countsMs) {
          await this.#readCounts(until);
          counted = { at: Date.now(), states };
        }
        this.#merge(page);
        await this.#refreshOthers(page, until);
        this.error.value = undefined;
      } catch (error) {
        if (error instanceof ApiError && error.status > 0) this.error.value = error;
        throw error;
      }
    });
  }

  showArrived(): void {
    this.runs.value = [...this.arrived.value, ...(this.runs.value ?? [])];
    this.arrived.value = [];
  }

  async loadMore(): Promise<void> {
    const cursor = this.#next.value;
    if (cursor === null || this.loadingMore.value) return;
    this.loadingMore.value = true;
    try {
      const page = await get<Page<Run>>("/runs", { query: { ...this.#query(), limit: pageSize, cursor } });
      const known = new Set(this.runs.value?.map(({ id }) => id));
      this.runs.value = [...(this.runs.value ?? []), ...page.data.filter(({ id }) => !known.has(id))];
      this.#next.value = page.next;
    } finally {
      this.loadingMore.value = false;
    }
  }

  #firstPage(until: AbortSignal): Promise<Page<Run>> {
    return get<Page<Run>>("/runs", { query: { ...this.#query(), limit: pageSize }, signal: until });
  }

  async #readCounts(until: AbortSignal): Promise<void> {
    const { status: _, ...query } = this.#query();
    this.counts.value = await get<RunCounts>("/runs/counts", { query, signal: until });
  }

  #merge({ data, next }: Page<Run>): void {
    const shown = this.runs.value;
    if (!shown) {
      this.runs.value = data;
      this.#next.value = next;
      return;
    }
    const fresh = new Map(data.map((run) => [run.id, run]));
    const known = new Set(shown.map(({ id }) => id));
    const updated = shown.map((run) => fresh.get(run.id) ?? run);
    const arrived = data.filter(({ id, created_at: at }) => !known.has(id) && at >= (shown[0]?.created_at ?? ""));
    if (this.#mayInsert() || shown.length === 0) {
      this.runs.value = [...arrived, ...updated];
      this.arrived.value = [];
    } else {
      this.runs.value = updated;
      this.arrived.value = arrived;
    }
    if (shown.length === 0) this.#next.value = next;
  }

  /** Reads shown runs that the first page lacks: those that no longer match, and those that still work further below. */
  async #refreshOthers({ data, next }: Page<Run>, until: AbortSignal): Promise<void> {
    const fresh = new Set(data.map(({ id }) => id));
    const oldest = next === null ? "" : (data.at(-1)?.created_at ?? "");
    const others = (this.runs.value ?? []).filter(({ id }) => !fresh.has(id));
    const missing = others.filter(({ created_at: at }) => at > oldest);
    const working = others.filter(({ status, created_at: at }) => status === "running" && at <= oldest).slice(0, 20);
    const read = await Promise.all(
      [...missing.filter(({ status }) => status === "running"), ...working].map(({ id }) =>
        get<Run>(`/runs/${id}`, { signal: until }).catch(() => undefined),
      ),
    );
    const byId = new Map(read.flatMap((run) => (run ? [[run.id, run] as const] : [])));
    if (byId.size > 0) this.runs.value = this.runs.value?.map((run) => byId.get(run.id) ?? run);
    this.stale.value = new Set(missing.map(({ id }) => id));
  }
}
