/** The JSON, in UTF-8, of values that are parts of many answers. */
const kept = new WeakMap<object, Buffer>();

/** Stands for a kept value while an answer is written. Other numbers are written differently. */
const PLACE = -7.390527e-281;
const PLACE_TEXT = JSON.stringify(PLACE);

/** Most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** The kept values of the answer that is being written, in their order. */
let parts: Buffer[] | undefined;

/**
 * Keeps the JSON of a value as long as the value is used, and returns its length in bytes. The value must not be
 * changed any more.
 */
export function keepJson(value: object): number {
  const text = JSON.stringify(value);
  // Not of the memory that small buffers share, which one of them would hold as a whole.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  kept.set(value, bytes);
  Object.defineProperty(value, 'toJSON', { value: placeOrThis });
  return bytes.length;
}

function placeOrThis(this: object): unknown {
  if (parts === undefined) return this;
  parts.push(kept.get(this)!);
  return PLACE;
}

/** What `JSON.stringify` returns, as UTF-8 if there are kept values in it, whose bytes are copied. */
export function toJson(value: unknown): string | Buffer {
  const found: Buffer[] = [];
  parts = found;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    parts = undefined;
  }
  if (found.length === 0) return text;
  const between = text.split(PLACE_TEXT);
  // Something else in the answer looks like a place.
  if (between.length !== found.length + 1) return JSON.stringify(value);
  return joined(between, found);
}

function joined(texts: readonly string[], bytes: readonly Buffer[]): Buffer {
  const most = texts.reduce((sum, text) => sum + UNIT_BYTES * text.length, 0) +
    bytes.reduce((sum, { length }) => sum + length, 0);
  const all = Buffer.allocUnsafe(most);
  let end = 0;
  for (const [i, text] of texts.entries()) {
    end += all.write(text, end);
    const next = bytes[i];
    if (next === undefined) break;
    all.set(next, end);
    end += next.length;
  }
  return all.subarray(0, end);
}
