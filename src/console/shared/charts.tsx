import { count } from './format.ts';

interface LineChartProps {
  readonly title: string;
  /** Newest last. */
  readonly values: readonly number[];
  readonly show: (value: number) => string;
}

const WIDTH = 300;
const HEIGHT = 70;

/** The recent values of a number; the scale begins at 0. */
export function LineChart({ title, values, show }: LineChartProps) {
  const highest = Math.max(...values, 0);
  const last = values.at(-1) ?? 0;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(HEIGHT - (highest === 0 ? 0 : (value / highest) * (HEIGHT - 4))).toFixed(1)}`).join(' ');
  return (
    <figure class="card chart" aria-label={`${title}: ${show(last)}, at most ${show(highest)}`}>
      <figcaption class="row apart"><h2>{title}</h2><span class="small muted nowrap">max {show(highest)}</span></figcaption>
      <div class="figure">{show(last)}</div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {values.length > 1 && <><polygon class="area" points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} /><polyline class="line" points={points} /></>}
      </svg>
    </figure>
  );
}

/** A comparison of numbers, the greatest first. */
export function Bars({ of, show = count }: { readonly of: readonly (readonly [label: string, value: number])[]; readonly show?: (value: number) => string }) {
  const sorted = [...of].sort((a, b) => b[1] - a[1]);
  const highest = Math.max(1e-9, sorted[0]?.[1] ?? 0);
  return (
    <div class="bars">
      {sorted.map(([label, value]) => [
        <span key={label} title={label}>{label}</span>,
        <div key={`${label} bar`} class="track"><div style={{ width: `${(value / highest) * 100}%` }} /></div>,
        <span key={`${label} value`} class="num">{show(value)}</span>,
      ])}
    </div>
  );
}
