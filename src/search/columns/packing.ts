import { Buffers, Column, type ColumnsKernel, FLAG, Time } from '../../kernels/columns.ts';
import { toNumber, toSeconds } from '../filter/index.ts';
import { sortValueOf } from '../order/index.ts';
import type { ColumnDocument } from './contract.ts';

const HEAD = 32;
const ENTRY = 12;
/** Values of up to this length are sorted by their whole text. */
const SHORT = 256;
/** Characters with which a number or a date may begin. */
const MOMENT_START = /^\s*[\d+\-.]/;

/** A value of a document to be written into the memory. */
interface Entry {
  readonly column: number;
  readonly text: string;
  /** The text to sort by: the key of a name, the beginning of a long text, otherwise the text itself. */
  readonly part: string;
}

/**
 * Writes a document into the memory and replaces its former version. `columnOf` finds or creates the column of a
 * metadata key.
 */
export function putDocument(kernel: ColumnsKernel, document: ColumnDocument, columnOf: (key: string) => number): void {
  const entries = entriesOf(document, columnOf);
  let room = HEAD;
  for (const { text, part } of entries) room += ENTRY + (text.length + part.length) * 3 + 4;
  const at = kernel.reserve(Buffers.input, room);
  const { view, bytes } = kernel;
  view.setUint32(at, document.ord, true);
  view.setUint32(at + 4, entries.length, true);
  view.setFloat64(at + 8 + 8 * Time.addedAt, document.addedAt, true);
  view.setFloat64(at + 8 + 8 * Time.updatedAt, document.updatedAt, true);
  view.setFloat64(at + 8 + 8 * Time.expiresAt, document.expiresAt ?? Number.NaN, true);
  let end = at + HEAD;
  for (const entry of entries) end = writeEntry(view, bytes, end, entry);
  const fresh = kernel.call.putDocument();
  if (fresh > 0) judge(kernel, entries, fresh);
}

function entriesOf({ key, lang, meta }: ColumnDocument, columnOf: (key: string) => number): Entry[] {
  const [lowerKey, lowerLang] = [key.toLowerCase(), lang.toLowerCase()];
  const entries: Entry[] = [{ column: Column.identity, text: `${lowerKey}|${lowerLang}`, part: lowerKey }];
  if (key !== lowerKey) entries.push({ column: (Column.identity | FLAG) >>> 0, text: `${key}|${lang}`, part: key });
  entries.push({ column: Column.lang, text: lowerLang, part: lowerLang });
  if (lang !== lowerLang) entries.push({ column: (Column.lang | FLAG) >>> 0, text: lang, part: lang });
  for (const name of Object.keys(meta)) {
    const values = meta[name]!;
    if (values.length === 0) continue;
    const column = columnOf(name);
    for (const text of values) entries.push({ column, text, part: text.length > SHORT ? longPart(text) : text });
  }
  return entries;
}

/** The text by which a long text is sorted. */
function longPart(text: string): string {
  const value = sortValueOf(text);
  return typeof value === 'string' ? value : text.slice(0, SHORT).toWellFormed();
}

function writeEntry(view: DataView, bytes: Buffer, at: number, { column, text, part }: Entry): number {
  const start = at + ENTRY;
  const length = bytes.write(text, start);
  view.setUint32(at, column, true);
  view.setUint32(at + 4, length, true);
  if (part === text) {
    view.setUint32(at + 8, length, true);
    return start + ((length + 3) & ~3);
  }
  if (text.startsWith(part)) {
    view.setUint32(at + 8, Buffer.byteLength(part), true);
    return start + ((length + 3) & ~3);
  }
  const behind = bytes.write(part, start + length);
  view.setUint32(at + 8, (behind | FLAG) >>> 0, true);
  return start + ((length + behind + 3) & ~3);
}

/** Passes to the kernel the numbers or dates that new values stand for, and the key of a name. */
function judge(kernel: ColumnsKernel, entries: readonly Entry[], fresh: number): void {
  const { view } = kernel;
  const output = kernel.address(Buffers.output);
  for (let i = 0; i < fresh; i++) {
    const [index, column, value] = [view.getUint32(output + 12 * i, true), view.getUint32(output + 12 * i + 4, true),
      view.getUint32(output + 12 * i + 8, true)];
    const entry = entries[index]!;
    const text = column === Column.identity ? entry.part : entry.text;
    if (!MOMENT_START.test(text)) continue;
    const number = toNumber(text);
    const moment = number ?? toSeconds(text);
    if (moment !== undefined) kernel.call.setMoment(column, value, moment, number === undefined ? 0 : 1);
  }
}
