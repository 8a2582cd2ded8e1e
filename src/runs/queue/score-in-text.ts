/** Characters that are parsed at most, as a multiple of the text's length, so that no text takes long. */
const BUDGET = 4;
/** Objects that are looked at, from the last on. */
const MAX_OBJECTS = 1000;

const [NEWLINE, BACKSLASH, QUOTE, OPEN, CLOSE] = [...'\n\\"{}'].map((sign) => sign.charCodeAt(0));

interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * `score` of the last JSON object in a text that has a number there: the text itself, or an object in a fenced block or
 * among other words. What is inside an object belongs to it and does not count. Undefined if there is none. Takes time
 * in proportion to the length of the text.
 */
export function scoreInText(text: string): number | undefined {
  const spans = spansOf(text);
  let left = BUDGET * text.length;
  /** Where the object starts that was read last: what ends after that is inside it. */
  let read = Infinity;
  let tried = 0;
  for (const { start, end } of spans.reverse()) {
    if (end > read) continue;
    left -= end - start;
    tried += 1;
    if (left < 0 || tried > MAX_OBJECTS) return undefined;
    const value = parse(text.slice(start, end));
    if (value === undefined) continue;
    read = start;
    const { score } = value;
    if (typeof score === 'number' && Number.isFinite(score)) return score;
  }
  return undefined;
}

/**
 * What stands between matching braces, in the order of the ends. Braces in strings do not count; a string ends with its
 * line, as in JSON, so that a quotation mark in prose hides no more than that.
 */
function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  const open: number[] = [];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) quoted = false;
    else if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) quoted = open.length > 0 && !quoted;
    else if (quoted) continue;
    else if (code === OPEN) open.push(at);
    else if (code === CLOSE && open.length > 0) spans.push({ start: open.pop()!, end: at + 1 });
  }
  return spans;
}

function parse(text: string): { readonly score?: unknown } | undefined {
  try {
    return JSON.parse(text) as { readonly score?: unknown };
  } catch {
    return undefined; // words in braces
  }
}
