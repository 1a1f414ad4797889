import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import { type Align, type Keyed, RowHeights, type Visible } from "./rows/row-heights.ts";

/** Rows above and below the screen that are in the document too. */
const overscan = 6;

/** After a jump, rows that change their height do not move its target. Ends after this time or when the reader scrolls. Milliseconds. */
const jumpTime = 1_000;

interface ListOptions<Row> {
  rows: readonly Row[];
  /** Height of a row before it is measured, in pixels. */
  estimate: (row: Row) => number;
  scroller: RefObject<HTMLElement | null>;
  /** Contains the rendered rows and nothing else. Positioned in a box for all rows, of which this sets the height. */
  rendered: RefObject<HTMLElement | null>;
}

/** A list of which only the rows on screen are rendered. Renders its component again when those change. */
export function useVirtual<Row extends Keyed>(options: ListOptions<Row>): VirtualList<Row> {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const [list] = useState(() => new VirtualList(options, () => render(undefined)));
  list.update(options.rows);
  useLayoutEffect(() => list.mount(), [list]);
  useLayoutEffect(() => list.settle());
  return list;
}

/**
 * The rendered rows follow each other in normal flow, so they never overlap. After each render, and when one changes its
 * size, their heights are read and what is on screen stays in place: all of it before the browser paints.
 */
export class VirtualList<Row extends Keyed> {
  /** The rows on screen. */
  visible: Visible | undefined;
  /** Indexes of the rows to render, from `first` to before `until`. */
  first = 0;
  until = 0;
  readonly #heights: RowHeights<Row>;
  readonly #options: ListOptions<Row>;
  readonly #render: () => void;
  /** Where the scroller is, and the pixels for rows in it: 0 while it is hidden. */
  #top = 0;
  #height = 0;
  /** Where the scroller has to go after the next render. */
  #target: number | undefined;
  #jump: { index: number; key: string | undefined; align: Align; until?: number } | undefined;
  #rows: readonly Row[] = [];
  #shownTotal = 0;

  constructor(options: ListOptions<Row>, render: () => void) {
    this.#options = options;
    this.#heights = new RowHeights(options.estimate);
    this.#render = render;
  }

  /** Before each render. */
  update(rows: readonly Row[]): void {
    const top = this.#heights.update(rows, this.#top);
    this.#rows = rows;
    if (this.#jump && rows[this.#jump.index]?.key !== this.#jump.key) this.#jump = undefined;
    if (top !== this.#top) this.#target = top;
    this.#top = top;
    this.visible = this.#heights.visible(top, this.#height);
    this.first = Math.max(0, (this.visible?.first ?? 0) - overscan);
    this.until = this.visible ? Math.min(rows.length, this.visible.last + 1 + overscan) : 0;
  }

  /** Follows the scroller. Returns how to stop. */
  mount(): (() => void) | undefined {
    const { scroller, rendered } = this.#elements();
    if (!scroller || !rendered) return undefined;
    const onScroll = (): void => {
      if (this.#height === 0) return;
      if (Math.abs(scroller.scrollTop - this.#top) > 1) this.#jump = undefined;
      this.#top = scroller.scrollTop;
      this.#renderIfChanged();
    };
    const onResize = (): void => {
      this.#resize();
      this.settle();
      this.#renderIfChanged();
    };
    const resizes = new ResizeObserver(onResize);
    resizes.observe(scroller);
    resizes.observe(rendered); // its height changes with that of each row
    scroller.addEventListener("scroll", onScroll, { passive: true });
    onResize();
    return () => {
      resizes.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    };
  }

  /** After each render: measures the rows, and keeps in place what is on screen. */
  settle(): void {
    const { scroller, rendered } = this.#elements();
    if (!scroller || !rendered || this.#height === 0) return;
    this.#position();
    if (scroller.clientHeight === 0) return; // hidden: rows have no height
    if (this.#target !== undefined) scroller.scrollTop = this.#target;
    this.#target = undefined;
    const heights = Array.from(rendered.children, (row) => row.getBoundingClientRect().height);
    this.#top = scroller.scrollTop; // the browser limits it
    const shift = this.#heights.measure(this.first, heights, this.#top);
    this.#position();
    const to = this.#jumpPlace() ?? this.#top + shift;
    if (Math.abs(to - this.#top) > 0.5) {
      scroller.scrollTop = to;
      this.#top = scroller.scrollTop;
    }
    this.visible = this.#heights.visible(this.#top, this.#height);
    this.#shownTotal = this.#heights.total;
    if (this.visible && (this.visible.first < this.first || this.visible.last >= this.until)) this.#render();
  }

  scrollToIndex(index: number, align: Align): void {
    this.#jump = { index, key: this.#rows[index]?.key, align };
    this.#scrollTo(this.#heights.placeOf(index, align, this.#top, this.#height));
  }

  /** To the end of the scroller, with what is below the rows. */
  scrollToEnd(): void {
    this.#jump = undefined;
    this.#scrollTo(this.#options.scroller.current?.scrollHeight ?? 0);
  }

  #elements() {
    return { scroller: this.#options.scroller.current, rendered: this.#options.rendered.current };
  }

  #scrollTo(top: number): void {
    const scroller = this.#options.scroller.current;
    if (!scroller) return;
    scroller.scrollTop = top;
    this.#top = scroller.clientHeight === 0 ? top : scroller.scrollTop; // hidden: goes there when it is shown
    this.#renderIfChanged();
  }

  /** Where the last jump leads now, while it lasts. */
  #jumpPlace(): number | undefined {
    if (!this.#jump) return undefined;
    this.#jump.until ??= performance.now() + jumpTime;
    if (performance.now() > this.#jump.until) this.#jump = undefined;
    return this.#jump && this.#heights.placeOf(this.#jump.index, this.#jump.align, this.#top, this.#height);
  }

  #position(): void {
    const rendered = this.#options.rendered.current;
    if (!rendered?.parentElement) return;
    rendered.style.top = `${this.#heights.offset(this.first)}px`;
    rendered.parentElement.style.height = `${this.#heights.total}px`;
  }

  /** What is above the rows sticks to the top, so it takes its height from the screen at each place. */
  #resize(): void {
    const { scroller, rendered } = this.#elements();
    const box = rendered?.parentElement?.getBoundingClientRect();
    if (!scroller || !box) return;
    const hidden = this.#height === 0;
    const head = box.top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    this.#height = scroller.clientHeight === 0 ? 0 : Math.max(1, scroller.clientHeight - head);
    if (hidden) this.#target = this.#top;
  }

  #renderIfChanged(): void {
    const visible = this.#heights.visible(this.#top, this.#height);
    const { first, last } = this.visible ?? {};
    if (visible?.first !== first || visible?.last !== last || this.#heights.total !== this.#shownTotal) this.#render();
  }
}
