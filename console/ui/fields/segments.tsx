interface SegmentsProps<Value extends string> {
  /** What is chosen, for assistive technologies. */
  label: string;
  options: readonly (readonly [Value, string])[];
  /** Undefined: none is chosen. */
  value: Value | undefined;
  /** Why nothing can be chosen now. It disables the choices, and is their tooltip. */
  blocked?: string | undefined;
  onChange: (value: Value) => void;
}

/** A few choices beside each other. */
export function Segments<Value extends string>({ label, options, value, blocked, onChange }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([option, name]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          disabled={blocked !== undefined}
          title={blocked}
          onClick={() => onChange(option)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
