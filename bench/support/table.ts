/** One line of a report: what was measured, beside what, and their ratio. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly peer: string;
  readonly peerValue: string;
  readonly ratio: string;
}

export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${row.what} | ${row.value} | ${row.peer} | ${row.peerValue} | ${row.ratio} |`);
  return ['| what | value | beside | value | ratio |', '|---|---|---|---|---|', ...lines].join('\n');
}

export function compare(what: string, value: number, peer: string, peerValue: number, unit: string): Row {
  return { what, value: `${figure(value)} ${unit}`, peer, peerValue: `${figure(peerValue)} ${unit}`, ratio: (value / peerValue).toFixed(2) };
}

/** Three significant digits. */
export function figure(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
