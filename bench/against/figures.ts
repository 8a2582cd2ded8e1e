import { figure, median, type Section } from '../support/table.ts';

/** A figure of a report: the name of what was measured, its value and its unit. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Columns that are computed from others, or that are no figures. */
const DERIVED = /^(?:ratio|beside|to .*|target|.*\btarget\b.*)$/;

/**
 * The figures of a report. Of comparisons, the values of the peers are figures too: they are the same programs in both
 * checkouts, so they show how much the machine itself has varied. A peer that is listed several times is one figure,
 * unless it was measured several times.
 */
export function figuresOf(sections: readonly Section[]): Figure[] {
  const found = new Map<string, Figure>();
  for (const { title, header, rows } of sections) {
    for (const row of rows) {
      for (const [column, cell] of row.entries()) {
        const parsed = column === 0 || DERIVED.test(header[column]!) ? undefined : parse(cell);
        if (parsed === undefined) continue;
        const short = `${title}: ${nameOf(header, row, column)}`;
        const isOther = header[column - 1] === 'beside' && found.has(short) && found.get(short)!.value !== parsed.value;
        const name = isOther ? `${short}, for ${row[0]!}` : short;
        if (!found.has(name)) found.set(name, { name, ...parsed });
      }
    }
  }
  return [...found.values()];
}

function nameOf(header: readonly string[], row: readonly string[], column: number): string {
  if (header[column] !== 'value') return `${row[0]!}, ${header[column]!}`;
  return header[column - 1] === 'beside' ? `beside, ${row[column - 1]!}` : row[0]!;
}

/** Returns undefined unless the cell is a number, with a unit or without. */
function parse(cell: string): { value: number; unit: string } | undefined {
  const match = /^(\d[\d,]*(?:\.\d+)?)(?: (\S.*))?$/.exec(cell);
  return match === null ? undefined : { value: Number(match[1]!.replaceAll(',', '')), unit: match[2] ?? '' };
}

/** The figures that both checkouts have in each round: medians, their ratio, and the ratios of the rounds. */
export function compareFigures(title: string, other: string, ours: readonly (readonly Figure[])[],
  theirs: readonly (readonly Figure[])[]): Section
{
  const valuesIn = (rounds: readonly (readonly Figure[])[], name: string): number[] =>
    rounds.flatMap((figures) => figures.find((each) => each.name === name)?.value ?? []);
  const rows = (ours[0] ?? []).flatMap(({ name, unit }) => {
    const [here, there] = [valuesIn(ours, name), valuesIn(theirs, name)];
    if (here.length < ours.length || there.length < theirs.length) return [];
    const shown = (values: readonly number[]): string => `${figure(median(values))}${unit === '' ? '' : ` ${unit}`}`;
    return [[name, shown(here), shown(there), ratio(median(here), median(there)),
      here.map((value, i) => ratio(value, there[i]!)).join(' ')]];
  });
  return { title, header: ['figure', 'this checkout', other, 'ratio', 'ratio of each round'], rows };
}

const ratio = (value: number, of: number): string => (of === 0 ? '–' : (value / of).toFixed(2));
