import { Scalar, stringify } from 'yaml';
import { flattenMeta, MAX_VALUES, type Meta } from './flatten-meta.ts';
import { parseToml } from './safe-toml.ts';
import { parseYaml } from './safe-yaml.ts';

interface FrontMatter {
  /** Flat metadata; empty when there is no front matter. */
  readonly meta: Meta;
  /** The text after the front matter, byte for byte; the whole text if there is none, or if it cannot be read. */
  readonly body: string;
  /** One line for each omitted value. */
  readonly warnings: readonly string[];
}

/** YAML between lines `---`, or TOML between lines `+++`. */
const FENCE = /^(---|\+\+\+)[ \t]*$/;
// Front matter is small; a longer block is text between two thematic breaks.
const MAX_LENGTH = 256 * 1024;

/**
 * Splits front matter off a Markdown text: a first line `---`, YAML, a line `---` (contract, section 4,
 * `extractFrontmatter`), or TOML between lines `+++`, as Hugo and Zola write it. Values become flat metadata: a scalar
 * is one value, a list of scalars is several, null is nothing, and nested structures take dotted keys such as
 * `faq.0.question` (contract, section 2, "Structured frontmatter"). Scalars of YAML keep their original text: dates,
 * `1.10` and `007` are not converted. Never throws.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const block = findBlock(text);
  if (block === undefined) return { meta: {}, body: text, warnings: [] };
  const parsed = block.fence === '+++'
    ? parseToml(block.source)
    : parseYaml(block.source, { numbersAsText: true, mapsAsMap: true, merge: false });
  if (!parsed.ok) return { meta: {}, body: text, warnings: [`front matter was left in the body: ${parsed.problem}`] };
  if (parsed.value === null) return { meta: {}, body: block.body, warnings: [] };
  if (!(parsed.value instanceof Map))
    return { meta: {}, body: text, warnings: ['front matter was left in the body: it is not a mapping'] };
  const flat = flattenMeta(parsed.value, MAX_VALUES);
  if (flat === undefined)
    return {
      meta: {},
      body: text,
      warnings: [`front matter was left in the body: it has more than ${MAX_VALUES} values`],
    };
  return { meta: flat.meta, body: block.body, warnings: flat.leftOut.map(keyWarning) };
}

const keyWarning = (path: string): string =>
  `front matter: a key${path === '' ? '' : ` in ${path}`} is not a scalar and was left out`;

/**
 * Returns a text that `splitFrontMatter` splits into the same metadata and body. A key without values is omitted.
 * Without metadata it is only the body, unless the body itself begins like front matter.
 */
export function joinFrontMatter(meta: Readonly<Meta>, body: string): string {
  const entries = Object.entries(meta).filter(([, values]) => values.length > 0);
  if (entries.length === 0) return findBlock(body) === undefined ? body : `---\n---\n${body}`;
  const yaml = stringify(
    new Map(entries.map(([key, values]) => [keyNode(key), values.length === 1 ? values[0] : values])),
    // Block scalars and folding could produce a line in a value that looks like the closing fence.
    {
      lineWidth: 0,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
      doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
      aliasDuplicateObjects: false,
    },
  );
  return `---\n${yaml}---\n${body}`;
}

/** A key as plain text; only `<<` is quoted, because it would merge a mapping. */
function keyNode(key: string): Scalar<string> {
  const node = new Scalar(key);
  if (key === '<<') node.type = 'QUOTE_DOUBLE';
  return node;
}

function findBlock(text: string): { fence: string; source: string; body: string } | undefined {
  const opening = lineEnd(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const fence = FENCE.exec(opening.line.replace(/^\ufeff/, ''))?.[1];
  if (fence === undefined || opening.next === undefined) return undefined;
  for (let start = opening.next; start <= MAX_LENGTH;) {
    const { line, next } = lineEnd(text, start);
    if (FENCE.exec(line)?.[1] === fence)
      return { fence, source: text.slice(opening.next, start), body: next === undefined ? '' : text.slice(next) };
    if (next === undefined) return undefined;
    start = next;
  }
  return undefined;
}

/** The line at an offset, without its line end, and the start of the next line; undefined after the last. */
function lineEnd(text: string, start: number): { line: string; next: number | undefined } {
  const end = text.indexOf('\n', start);
  if (end < 0) return { line: text.slice(start), next: undefined };
  return { line: text.slice(start, text[end - 1] === '\r' ? end - 1 : end), next: end + 1 };
}
