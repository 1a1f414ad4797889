/** A choice of a few, side by side. */
export function Segments<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: [Value, string][];
  value: Value;
  onChange: (value: NoInfer<Value>) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([each, text]) => (
        <button type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
        </button>
      ))}
    </div>
  );
}
