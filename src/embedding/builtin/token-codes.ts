// Ids of tokens in 16 bits each, as they are cached: `static-en-256` and `static-multi-256` have more ids together, but
// hardly any text has one of the highest, which take two codes.

const ESCAPE = 0xffff;

/** Codes of a text, and the number of those of its beginning. */
interface TokenCodes {
  readonly all: Uint16Array;
  readonly lead: number;
}

/** The codes of ids below 131,070. */
export function encodeTokens(ids: ReadonlySet<number>): Uint16Array<ArrayBuffer> {
  const codes: number[] = [];
  for (const id of ids) {
    if (id < ESCAPE) codes.push(id);
    else codes.push(ESCAPE, id - ESCAPE);
  }
  return Uint16Array.from(codes);
}

/** The ids of codes, and the number of those of the beginning. */
export function decodeTokens({ all, lead }: TokenCodes): { all: ArrayLike<number>; lead: number } {
  if (!all.includes(ESCAPE)) return { all, lead };
  const ids: number[] = [];
  let first = 0;
  for (let at = 0; at < all.length; at++) {
    if (at < lead) first++;
    ids.push(all[at] === ESCAPE ? ESCAPE + all[++at]! : all[at]!);
  }
  return { all: ids, lead: first };
}
