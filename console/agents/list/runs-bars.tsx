const [width, height] = [7, 24];

/** Runs per two hours as bars, the highest as high as the row allows. The number of runs is beside them. */
export function RunsBars({ runs }: { runs: number[] }) {
  const most = Math.max(1, ...runs);
  const bars = runs.map((count, index) => {
    const bar = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
    return `M${index * (width + 1)} ${height}v-${bar}h${width}v${bar}z`;
  });
  return (
    <svg class="runs-bars" viewBox={`0 0 ${runs.length * (width + 1) - 1} ${height}`} aria-hidden="true">
      <path d={bars.join("")} />
    </svg>
  );
}
