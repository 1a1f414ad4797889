import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface GaugeProps {
  label: string;
  value: number;
  /** Absent: no limit, no bar. */
  limit?: number | null | undefined;
  format: (value: number) => string;
  /** Whether the value is an estimate. */
  about?: boolean;
  /** Whether the value still grows. */
  live?: boolean;
}

/** A value and its limit. From 80 % on it is amber, at the limit red, each with an icon and a word. */
export function Gauge({ label, value, limit, format, about = false, live = false }: GaugeProps) {
  const track = useRef<HTMLDivElement>(null);
  const share = limit ? value / limit : 0;
  useEffect(() => track.current?.style.setProperty("--share", `${Math.min(share, 1) * 100}%`), [share]);
  const shown = `${about ? "~" : ""}${format(value)}`;
  const state = share >= 1 ? "reached" : share >= 0.8 ? "near" : live ? "live" : "";
  return (
    <div class={`gauge ${state}`}>
      <span class="label">
        <span class="what cut">{label}</span>
        {share >= 0.8 && (
          <span class={`badge ${share >= 1 ? "bad" : "warn"}`}>
            <Icon name="warning" />
            {share >= 1 ? "limit reached" : `${Math.floor(share * 100)} %`}
          </span>
        )}
      </span>
      <span class="value">
        <b>{shown}</b>
        {limit != null && ` of ${format(limit)}`}
      </span>
      {limit != null && (
        <div
          ref={track}
          class="track"
          role="meter"
          aria-label={label}
          aria-valuenow={Math.min(value, limit)}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuetext={`${shown} of ${format(limit)}`}
        />
      )}
    </div>
  );
}
