import { Scalar, stringify } from 'yaml';
import { flattenMeta, MAX_VALUES, type Meta } from './flatten-meta.ts';
import { parseYaml } from './safe-yaml.ts';

export interface FrontMatter {
  /** Flat metadata; empty when there is no front matter. */
  readonly meta: Meta;
  /** What follows the front matter, to the byte; the whole text when there is none, or when it cannot be read. */
  readonly body: string;
  /** One line for each thing that was left out. */
  readonly warnings: readonly string[];
}

const FENCE = /^---[ \t]*$/;
// Front matter is small; a longer block is text between two rulers.
const MAX_LENGTH = 256 * 1024;

/**
 * Splits YAML front matter off a markdown text: a first line `---`, YAML, a line `---` (contract,
 * section 4, `extractFrontmatter`). Values become flat metadata: a scalar is one value, a list of
 * scalars is several, null is nothing, and nested structures take dotted keys such as
 * `faq.0.question` (contract, section 2, "Structured frontmatter"). Scalars keep the text that was
 * written: dates, `1.10` and `007` are not turned into something else. Never throws.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const block = findBlock(text);
  if (block === undefined) return { meta: {}, body: text, warnings: [] };
  const parsed = parseYaml(block.yaml, { numbersAsText: true, mapsAsMap: true, merge: false });
  if (!parsed.ok) return { meta: {}, body: text, warnings: [`front matter was left in the body: ${parsed.problem}`] };
  if (parsed.value === null) return { meta: {}, body: block.body, warnings: [] };
  if (!(parsed.value instanceof Map)) return { meta: {}, body: text, warnings: ['front matter was left in the body: it is not a mapping'] };
  const flat = flattenMeta(parsed.value);
  if (flat === undefined) return { meta: {}, body: text, warnings: [`front matter was left in the body: it has more than ${MAX_VALUES} values`] };
  return { meta: flat.meta, body: block.body, warnings: flat.leftOut.map(keyWarning) };
}

const keyWarning = (path: string): string => `front matter: a key${path === '' ? '' : ` in ${path}`} is not a scalar and was left out`;

/**
 * The text that `splitFrontMatter` takes apart again into the same metadata and body. A key
 * without values is not written. Without metadata it is the body alone, unless the body itself
 * begins like front matter.
 */
export function joinFrontMatter(meta: Readonly<Meta>, body: string): string {
  const entries = Object.entries(meta).filter(([, values]) => values.length > 0);
  if (entries.length === 0) return findBlock(body) === undefined ? body : `---\n---\n${body}`;
  const yaml = stringify(
    new Map(entries.map(([key, values]) => [keyNode(key), values.length === 1 ? values[0] : values])),
    // Block scalars and folding would let a value hold a line that looks like the closing fence.
    { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER, aliasDuplicateObjects: false },
  );
  return `---\n${yaml}---\n${body}`;
}

/** A key as plain text, except for `<<`, which would then merge a mapping. */
function keyNode(key: string): Scalar<string> {
  const node = new Scalar(key);
  if (key === '<<') node.type = 'QUOTE_DOUBLE';
  return node;
}

function findBlock(text: string): { yaml: string; body: string } | undefined {
  const opening = lineEnd(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (!FENCE.test(opening.line.replace(/^\ufeff/, '')) || opening.next === undefined) return undefined;
  for (let start = opening.next; start <= MAX_LENGTH;) {
    const { line, next } = lineEnd(text, start);
    if (FENCE.test(line)) return { yaml: text.slice(opening.next, start), body: next === undefined ? '' : text.slice(next) };
    if (next === undefined) return undefined;
    start = next;
  }
  return undefined;
}

/** The line at an offset without its end, and where the next one starts; undefined after the last. */
function lineEnd(text: string, start: number): { line: string; next: number | undefined } {
  const end = text.indexOf('\n', start);
  if (end < 0) return { line: text.slice(start), next: undefined };
  return { line: text.slice(start, text[end - 1] === '\r' ? end - 1 : end), next: end + 1 };
}
