import { useMemo } from 'preact/hooks';
import { plural } from './format.ts';
import { sideBySide, type DiffRow, type Side } from './side-by-side.ts';

/** Two texts side by side: the old version on the left, the new one on the right. */
export function Diff({ label, before, after }: { readonly label: string; readonly before: string; readonly after: string }) {
  const rows = useMemo(() => sideBySide(before, after), [before, after]);
  if (before === after) return <p class="muted">{label}: no difference.</p>;
  return (
    <div class="diff" role="region" aria-label={`${label}, compared`} tabIndex={0}>
      <table>
        <colgroup><col class="line" /><col /><col class="line" /><col /></colgroup>
        <thead class="visually-hidden"><tr><th scope="col">Line</th><th scope="col">Before</th><th scope="col">Line</th><th scope="col">After</th></tr></thead>
        <tbody>{rows.map((row, index) => <Row key={index} row={row} />)}</tbody>
      </table>
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  if ('gap' in row) return <tr class="gap"><td colSpan={4}>{plural(row.gap, 'equal line')}</td></tr>;
  return <tr>{cells(row.left, 'removed')}{cells(row.right, 'added')}</tr>;
}

function cells(side: Side | undefined, tone: 'removed' | 'added') {
  const look = side?.isChanged === true ? tone : '';
  return [
    <td key={`${tone} line`} class={`line ${look}`}>{side?.line}</td>,
    <td key={tone} class={look}>{side?.pieces.map(({ text, isChanged }, index) => (isChanged ? <mark key={index}>{text}</mark> : text))}</td>,
  ];
}
