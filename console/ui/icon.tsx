/** Drawings on a grid of 16 × 16 pixels, with lines of 1.5 pixels. Those in `filled` have no lines. */
const drawings = {
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3.5 8.5l3 3 6-7",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5L14 14",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  right: "M6 4l4 4-4 4",
  left: "M10 4L6 8l4 4",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  copy: "M6 6h7v7H6zM10 6V3H3v7h3",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7",
  send: "M2.5 8L13.5 3 11 13 7.5 9zM7.5 9L13.5 3M7.5 9v4",
  stop: "M4 4h8v8H4z",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5V5.5H10",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9",
  download: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  upload: "M8 11V3M4.5 6L8 2.5 11.5 6M3 13.5h10",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  folder: "M2 4h4l1.5 2H14v7H2z",
  key: "M10.5 2.5a3 3 0 1 1-2.4 4.8L3.5 12v1.5H2V11l5-5",
  user: "M8 2.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM3 14c.5-3 2.5-4.5 5-4.5s4.5 1.5 5 4.5",
  runs: "M2 4h8M4 8h3M9.5 8h3M6 12h8",
  agent: "M3 5h10v8H3zM8 5V2.5M6 8.5v1M10 8.5v1M1.5 8v2M14.5 8v2",
  model: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6",
  usage: "M2.5 13.5h11M4.5 13V8M8 13V3.5M11.5 13V6",
  settings: "M2 5h6M12 5h2M2 11h2M8 11h6M10 3.2v3.6M6 9.2v3.6",
  play: "M5 3l8 5-8 5z",
  wait: "M4.5 2h7M4.5 14h7M5 2c0 4 6 8 6 12M11 2c0 4-6 8-6 12",
  bolt: "M9 2L3.5 9H8l-1 5 5.5-7H8z",
  info: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.5v3.5M8 5h.01",
  lock: "M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  eye: "M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  finished: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.5 8.2l1.8 1.8 3.3-3.8",
  terminated: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.5 8h5",
  running: "M8 2a6 6 0 0 1 6 6",
  circle: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  summary: "M3 4h10M3 8h7M3 12h4",
  ask: "M3.6 12.6A6 6 0 1 1 6 13.7L2.5 14.5z",
  shield: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
  question: "M2.5 3h11v8.5H7.5L5 14v-2.5H2.5zM6.5 6a1.5 1.5 0 1 1 1.5 1.7v.5M8 9.7h.01",
  code: "M5.5 5L2.5 8l3 3M10.5 5l3 3-3 3",
  external: "M9 2.5h4.5V7M13.5 2.5L7 9M11 9v4H3V5h4",
} as const;

export type IconName = keyof typeof drawings | "warning" | "idle";

/** An icon next to a word: assistive technologies skip it. */
export function Icon({ name, class: more = "" }: { name: IconName; class?: string }) {
  return (
    <svg class={`icon ${more}`} viewBox="0 0 16 16" aria-hidden="true">
      {name === "warning" ? (
        <path
          class="filled-icon"
          fill-rule="evenodd"
          d="M7.1 2.2a1 1 0 0 1 1.8 0l5.4 10.3a1 1 0 0 1-.9 1.5H2.6a1 1 0 0 1-.9-1.5zM7.3 6v4h1.4V6zm0 5.2v1.3h1.4v-1.3z"
        />
      ) : name === "idle" ? (
        <circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.3" />
      ) : (
        <path d={drawings[name]} />
      )}
      {name === "running" && <circle cx="8" cy="8" r="6" opacity="0.25" />}
    </svg>
  );
}

/** The mark of the service: a run that was interrupted and continued. */
export function Glyph() {
  return (
    <svg class="glyph" viewBox="0 0 20 20" aria-hidden="true">
      <rect x="1" y="3" width="12" height="3.4" rx="1.2" />
      <rect x="5" y="8.3" width="4" height="3.4" rx="1.2" />
      <rect class="on" x="11" y="8.3" width="5" height="3.4" rx="1.2" />
      <rect x="9" y="13.6" width="10" height="3.4" rx="1.2" />
    </svg>
  );
}
