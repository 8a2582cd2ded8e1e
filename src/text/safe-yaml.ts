import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, type ScalarTag } from 'yaml';

// A document that repeats its aliases more often is an attack ("billion laughs"), not a configuration.
const MAX_ALIASES = 100;
/**
 * What reads a deeper value needs memory that grows with the square of its depth, until it reaches the end of the
 * stack.
 */
const MAX_DEPTH = 256;

type YamlResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

interface YamlOptions {
  /** Numbers keep their original text, so that `1.10` and `007` survive. Default false. */
  readonly numbersAsText?: boolean;
  /** Mappings become `Map`s, in which keys of every name and type are distinct. Default false: plain objects. */
  readonly mapsAsMap?: boolean;
  /**
   * Whether `<<` merges a mapping; a few lines of merges can produce a large value, so disable it for untrusted texts.
   * Default true.
   */
  readonly merge?: boolean;
}

const NUMBER_TAGS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

/**
 * Parses one YAML 1.2 document (core schema). It runs no code and returns only strings, numbers, booleans, null, arrays
 * and mappings: dates remain text. Never throws; `problem` is one line with the position of the first error. An empty
 * text is null.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlResult {
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: options.merge ?? true,
      // The check of the package compares each key with each other key.
      uniqueKeys: false,
      prettyErrors: false,
      // Not `silent`, which would also ignore a second document.
      logLevel: 'error',
      lineCounter,
      ...(options.numbersAsText
        ? { customTags: (tags) => tags.filter((tag) => !NUMBER_TAGS.has((tag as ScalarTag).tag)) }
        : {}),
    });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) return { ok: false, problem: describe(error.message, lineCounter, error.pos[0]) };
    const fault = faultIn(document.contents);
    if (fault !== undefined) return { ok: false, problem: describe(fault.problem, lineCounter, fault.at) };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: options.mapsAsMap ?? false });
    return containsItself(value)
      ? { ok: false, problem: 'an alias is within what it stands for' }
      : { ok: true, value };
  } catch (error) {
    // Too many aliases, an alias without its anchor, or nesting deeper than the stack.
    return { ok: false, problem: firstLine((error as Error).message) };
  }
}

/** Whether a value contains itself, as in `&a [*a]`. Visits each part once, however many aliases it has. */
function containsItself(value: unknown, above = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (above.has(value)) return true;
  above.add(value);
  const parts = value instanceof Map ? [...value.keys(), ...value.values()] : Object.values(value);
  const found = parts.some((part) => containsItself(part, above, done));
  above.delete(value);
  done.add(value);
  return found;
}

interface Fault {
  readonly problem: string;
  readonly at: number;
}

/** The first duplicate key of a mapping, or the first node that is nested too deeply. */
function faultIn(node: unknown, depth = 0): Fault | undefined {
  if (!isMap(node) && !isSeq(node)) return undefined;
  if (depth > MAX_DEPTH) return { problem: `nested more than ${MAX_DEPTH} deep`, at: node.range?.[0] ?? 0 };
  const seen = new Set<unknown>();
  for (const item of node.items) {
    const parts = isPair(item) ? [item.key, item.value] : [item];
    if (isPair(item) && isScalar(item.key)) {
      if (seen.has(item.key.value)) return { problem: 'Map keys must be unique', at: item.key.range?.[0] ?? 0 };
      seen.add(item.key.value);
    }
    for (const part of parts) {
      const fault = faultIn(part, depth + 1);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function describe(message: string, lineCounter: LineCounter, offset: number): string {
  const { line, col } = lineCounter.linePos(offset);
  return `line ${line}, column ${col}: ${firstLine(message)}`;
}

const firstLine = (message: string): string => message.split('\n', 1)[0]!;
