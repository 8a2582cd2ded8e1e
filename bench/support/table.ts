/** One line of a report: what was measured, what it is compared with, and their ratio. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly peer: string;
  readonly peerValue: string;
  readonly ratio: string;
}

/** A part of a report: a table under its title, with notes for its readers. */
export interface Section {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes?: readonly string[];
}

/** Rows under a title. */
export function comparisons(title: string, rows: readonly Row[], notes: readonly string[] = []): Section {
  return {
    title,
    notes,
    header: ['what', 'value', 'beside', 'value', 'ratio'],
    rows: rows.map((row) => [row.what, row.value, row.peer, row.peerValue, row.ratio]),
  };
}

/** A part that could not run, and what to do about it. */
export function missing(title: string, reason: string): Section {
  return { title, header: [], rows: [], notes: [`Not measured: ${reason}.`] };
}

export function renderSection({ title, header, rows, notes = [] }: Section): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = rows.length === 0 ? [] : [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line), ''];
  return [`## ${title}`, '', ...table, ...notes.map(item), ...(notes.length > 0 ? [''] : [])].join('\n');
}

/** An item of a list, in lines of up to 120 columns, as `npm run check` demands. */
function item(note: string): string {
  const lines = ['-'];
  for (const word of note.split(' ')) {
    const longer = `${lines.at(-1)!} ${word}`;
    if (longer.length <= 120) lines[lines.length - 1] = longer;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}

export function compare(what: string, value: number, peer: string, peerValue: number, unit: string): Row {
  return {
    what,
    value: `${figure(value)} ${unit}`,
    peer,
    peerValue: `${figure(peerValue)} ${unit}`,
    ratio: (value / peerValue).toFixed(2),
  };
}

/** Three significant digits. */
export function figure(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
