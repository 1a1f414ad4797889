interface LimitMeterProps {
  /** What is counted. */
  label: string;
  value: number;
  limit: number;
  /** The numbers in words. */
  text: string;
  /** What to do when it is too much. */
  problem: string | undefined;
}

/** A count against a limit, before it is sent. */
export function LimitMeter({ label, value, limit, text, problem }: LimitMeterProps) {
  return (
    <div class={problem === undefined ? "limit-meter" : "limit-meter too-much"}>
      <div
        class="track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(value, limit)}
        aria-valuetext={problem ?? text}
        ref={(element) => element?.style.setProperty("--share", `${Math.min(1, value / limit) * 100}%`)}
      />
      <p role={problem === undefined ? undefined : "alert"}>{problem ?? text}</p>
    </div>
  );
}
