import { computed, signal } from "@preact/signals";
import { type ApiError, call, isUnreached } from "../api/client.ts";
import { poll } from "../api/poll.ts";
import { me } from "../api/session.ts";
import type { Page, Run, RunCounts } from "../api/types.ts";
import type { RunQuery } from "./filters.ts";

const pageSize = 50;
/** Over a stack, a page of the list takes a Query and a BatchGetItem for each 100 runs. */
const refreshMs = { local: 2_000, aws: 6_000 };
/** The counts are read again when a shown run changes its state, and otherwise in this interval. */
const countsMs = 20_000;
/**
 * Rows that are added by scrolling alone: each row has about 20 nodes. More take a click. New runs make a longer list
 * begin again with its first page.
 */
export const rowsByScrolling = 500;

function refreshInterval(): number {
  return refreshMs[me.value?.platform ?? "local"];
}

/**
 * The runs that a query finds, kept up to date. Values of shown runs change in place. New runs wait in `arrived`, unless
 * `mayInsert` allows to insert them at once: the list never moves under the reader.
 */
export class RunList {
  readonly runs = signal<Run[] | undefined>(undefined);
  readonly counts = signal<RunCounts | undefined>(undefined);
  readonly error = signal<ApiError | undefined>(undefined);
  readonly arrived = signal<Run[]>([]);
  /** New runs that `arrived` lacks: there are more than one page of them. */
  readonly moreArrived = signal(false);
  readonly loadingMore = signal(false);
  /** Why the next page could not be read. */
  readonly moreError = signal<string | undefined>(undefined);
  /** Ids of shown runs that no longer match the query. */
  readonly stale = signal<ReadonlySet<string>>(new Set());
  readonly hasMore = computed(() => this.#next.value !== null);

  /** The newest run that failed, when the list was first read. Later failures do not change it. */
  firstError: string | undefined;
  /** The first page as it was last read. */
  #firstPage: Page<Run> = { data: [], next: null };
  readonly #next = signal<string | null>(null);
  readonly #query: () => RunQuery;
  readonly #mayInsert: () => boolean;

  constructor(query: () => RunQuery, mayInsert: () => boolean) {
    this.#query = query;
    this.#mayInsert = mayInsert;
  }

  /** Keeps the list up to date until `until` is aborted. */
  watch(until: AbortSignal): void {
    let counted: { at: number; states: string } | undefined;
    void poll(refreshInterval, until, async () => {
      try {
        const page = await this.#readFirstPage(until);
        const states = page.data.map(({ id, state }) => `${id} ${state}`).join();
        if (!counted || counted.states !== states || Date.now() - counted.at > countsMs) {
          await this.#readCounts(until);
          counted = { at: Date.now(), states };
        }
        this.#merge(page);
        await this.#refreshOthers(page, until);
        this.error.value = undefined;
      } catch (error) {
        if (!until.aborted && !isUnreached(error)) this.error.value = error as ApiError;
        throw error;
      }
    });
  }

  showArrived(): void {
    const all = [...this.arrived.value, ...(this.runs.value ?? [])];
    // A list with a gap or too many rows begins again: its next page then follows the first one.
    if (this.moreArrived.value || (this.arrived.value.length > 0 && all.length > rowsByScrolling)) {
      this.runs.value = this.#firstPage.data;
      this.#next.value = this.#firstPage.next;
    } else this.runs.value = all;
    this.arrived.value = [];
    this.moreArrived.value = false;
  }

  async loadMore(): Promise<void> {
    const cursor = this.#next.value;
    if (cursor === null || this.loadingMore.value) return;
    this.loadingMore.value = true;
    this.moreError.value = undefined;
    try {
      const page = await call("list_runs", { ...this.#query(), limit: pageSize, cursor });
      if (this.#next.value !== cursor) return; // the list has begun again
      const known = new Set(this.runs.value?.map(({ id }) => id));
      this.runs.value = [...(this.runs.value ?? []), ...page.data.filter(({ id }) => !known.has(id))];
      this.#next.value = page.next;
    } catch (error) {
      this.moreError.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.loadingMore.value = false;
    }
  }

  #readFirstPage(until: AbortSignal): Promise<Page<Run>> {
    return call("list_runs", { ...this.#query(), limit: pageSize }, { signal: until });
  }

  async #readCounts(until: AbortSignal): Promise<void> {
    const { sort: _, ...query } = this.#query();
    this.counts.value = await call("count_runs", query, { signal: until });
  }

  #merge(page: Page<Run>): void {
    const { data, next } = page;
    const shown = this.runs.value;
    this.#firstPage = page;
    if (!shown) {
      this.firstError = data.find(({ state }) => state === "technical_error")?.id;
      this.runs.value = data;
      this.#next.value = next;
      return;
    }
    if (this.#query().sort !== undefined) {
      // In another order, a change can move a row. The list stays while the reader is further below, or in it.
      if (this.#mayInsert()) {
        this.runs.value = data;
        this.#next.value = next;
      }
      return;
    }
    const fresh = new Map(data.map((run) => [run.id, run]));
    const known = new Set(shown.map(({ id }) => id));
    const updated = shown.map((run) => fresh.get(run.id) ?? run);
    this.runs.value = updated;
    this.arrived.value = data.filter(({ id, created_at: at }) => !known.has(id) && at >= (shown[0]?.created_at ?? ""));
    this.moreArrived.value = next !== null && shown.length > 0 && this.arrived.value.length === data.length;
    if (this.#mayInsert() || shown.length === 0) this.showArrived();
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
        call("get_run", { run_id: id }, { signal: until }).catch(() => undefined),
      ),
    );
    const byId = new Map(read.flatMap((run) => (run ? [[run.id, run] as const] : [])));
    if (byId.size > 0) this.runs.value = this.runs.value?.map((run) => byId.get(run.id) ?? run);
    this.stale.value = new Set(missing.map(({ id }) => id));
  }
}
