import { MAX_COLUMNS } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import { text } from '../tree/inlines.ts';
import type { TableRow } from '../tree/tables.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';

const MAX_POINTS = 10_000;
const MAX_NESTED = 32;

/** The texts of a part that a drawing shows: SmartArt as a list, a chart as its titles and a table of its values. */
export function graphicBlocks(part: XmlElement): Block[] {
  return part.name === 'dgm:dataModel' ? diagramBlocks(part) : chartBlocks(part);
}

/** A diagram is a tree of points; connections say which point is below which, and in which order. */
function diagramBlocks(model: XmlElement): Block[] {
  const points = new Map(
    elements(child(model, 'dgm:ptLst'), 'dgm:pt').map((point) => [point.attributes['modelId'] ?? '', point]),
  );
  const below = new Map<string, { id: string; order: number }[]>();
  for (const { attributes } of elements(child(model, 'dgm:cxnLst'), 'dgm:cxn')) {
    if ((attributes['type'] ?? 'parOf') !== 'parOf') continue;
    const from = attributes['srcId'] ?? '';
    const siblings = below.get(from) ?? [];
    siblings.push({ id: attributes['destId'] ?? '', order: Number(attributes['srcOrd'] ?? 0) || 0 });
    below.set(from, siblings);
  }
  const blocks: Block[] = [];
  const seen = new Set<string>();
  const add = (id: string, level: number, depth: number): void => {
    const point = points.get(id);
    if (point === undefined || seen.has(id)) return;
    seen.add(id);
    const said = paragraphs(child(point, 'dgm:t')).join(' ');
    if (said !== '')
      blocks.push({
        kind: 'paragraph',
        inlines: [text(said)],
        place: { list: 'diagram', level: Math.min(level, 8), ordered: false },
      });
    const next = level + (said === '' ? 0 : 1);
    // Deeper points are added in the order of the file.
    if (depth >= MAX_NESTED) return;
    for (const { id: lower } of (below.get(id) ?? []).sort((a, b) => a.order - b.order)) add(lower, next, depth + 1);
  };
  for (const [id, { attributes }] of points) if (attributes['type'] === 'doc') add(id, 0, 0);
  for (const id of points.keys()) add(id, 0, 0);
  return blocks;
}

/** The titles of a chart and its axes, then a table with one column for each series. */
function chartBlocks(part: XmlElement): Block[] {
  const titles = findAll(part, 'c:title').map((title) => paragraphs(title).join(' ')).filter((title) => title !== '');
  const series = findAll(part, 'c:ser').slice(0, MAX_COLUMNS - 1);
  const names = series.map((one) => points(child(one, 'c:tx')).get(0) ?? textOf(child(child(one, 'c:tx'), 'c:v')));
  const values = series.map((one) => points(child(one, 'c:val') ?? child(one, 'c:yVal')));
  const categories = points(
    series.map((one) => child(one, 'c:cat') ?? child(one, 'c:xVal')).find((axis) => axis !== undefined),
  );
  const length = Math.max(0, ...[categories, ...values].map((list) => Math.max(-1, ...list.keys()) + 1));
  const rows: TableRow[] = [rowOf(['', ...names])];
  for (let at = 0; at < Math.min(length, MAX_POINTS); at += 1)
    rows.push(rowOf([categories.get(at) ?? '', ...values.map((list) => list.get(at) ?? '')]));
  return [...titles.map((title): Block => ({ kind: 'paragraph', inlines: [text(title)] })),
    ...(series.length === 0 ? [] : [{ kind: 'table', rows } as const])];
}

function rowOf(cells: readonly string[]): TableRow {
  return { cells: cells.map((cell) => ({ blocks: [{ kind: 'paragraph', inlines: [text(cell)] }] })) };
}

/** The cached values of a reference to a sheet, by their index. */
function points(source: XmlElement | undefined): Map<number, string> {
  return new Map(findAll(source, 'c:pt').slice(0, MAX_POINTS).map((point) => [
    Math.max(0, Math.min(MAX_POINTS - 1, Math.floor(Number(point.attributes['idx'])) || 0)),
    textOf(child(point, 'c:v')).trim(),
  ]));
}

/** The texts of the paragraphs of a shape. */
function paragraphs(parent: XmlElement | undefined): string[] {
  return findAll(parent, 'a:p').map((paragraph) =>
    findAll(paragraph, 'a:t').map(textOf).join('').replace(/\s+/g, ' ').trim()
  ).filter((said) => said !== '');
}

/** The elements of a name below another one; of two alternatives, those of the first. */
export function findAll(parent: XmlElement | undefined, name: string, found: XmlElement[] = []): XmlElement[] {
  for (const element of elements(parent)) {
    if (element.name === name) found.push(element);
    else if (element.name === 'mc:AlternateContent')
      findAll(child(element, 'mc:Choice') ?? child(element, 'mc:Fallback'), name, found);
    else findAll(element, name, found);
  }
  return found;
}
