import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { documentFromRow, type RowOptions } from './document-from-row.ts';
import { readBytes } from './read-bytes.ts';
import { type Line, readLines } from './read-lines.ts';
import type { Source, SourceItem } from './source.ts';

export interface NdjsonInput {
  /** A file name, or `standard input`. */
  readonly name: string;
  /** Bytes of the input as stored; undefined if not known. */
  readonly size: number | undefined;
  open(): Readable;
}

/**
 * Documents from newline-delimited JSON, plain or gzip: one object on each line, in the forms of `documentFromRow`. An
 * invalid line is reported as a problem; the others are read.
 */
export function ndjsonSource(input: NdjsonInput, options: RowOptions): Source {
  return {
    name: input.name,
    unit: 'bytes',
    total: input.size,
    async *items(signal) {
      let position = 0;
      const bytes = readBytes(input.open(), { name: input.name, signal, onRead: (read) => (position += read) });
      for await (const line of readLines(bytes, input.name)) {
        yield { ...itemOfLine(line, options), origin: `line ${line.number} of ${input.name}`, position };
      }
    },
  };
}

type LineItem = SourceItem extends infer Item ? (Item extends unknown ? Omit<Item, 'origin' | 'position'> : never)
  : never;

function itemOfLine({ number, bytes }: Line, options: RowOptions): LineItem {
  const text = bytes.toString('utf8');
  let row: unknown;
  try {
    row = JSON.parse(number === 1 ? text.replace(/^\ufeff/, '') : text);
  } catch (error) {
    return { kind: 'problem', problem: `not JSON: ${(error as Error).message}` };
  }
  const result = documentFromRow(row, options);
  return result.kind === 'document' ? { ...result, sanitized: !isUtf8(bytes), notes: [] } : result;
}
