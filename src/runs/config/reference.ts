import { FORMATS } from './read-by-schema.ts';
import type { Format } from './schema/build.ts';
import { RUNS_CONFIG_SCHEMA } from './schema/index.ts';

interface Node {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: Format;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-expected'?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly additionalProperties?: unknown;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  array: 'list',
  object: 'mapping',
  null: 'null',
};

/**
 * Every key of the configuration file in Markdown: one table for each part, from the schema that validates the file.
 */
export function renderConfigReference(): string {
  const parts = Object.entries(RUNS_CONFIG_SCHEMA.properties as Readonly<Record<string, Node>>);
  const plain = parts.filter(([, node]) => rowsBelow('', node).length === 0);
  const single = plain.map(([name, node]) => rowOf(name, node, false));
  const sections = parts.filter(([, node]) => rowsBelow('', node).length > 0).map(([name, node]) =>
    [`## \`${name}\``, '', sentence(node.description), '', ...table(rowsBelow(name, node))].join('\n')
  );
  return `${[['## At the top', '', ...table(single)].join('\n'), ...sections].join('\n\n')}\n`;
}

const table = (
  rows: readonly string[],
): string[] => ['| Key | Value | Default | What it is |', '|---|---|---|---|', ...rows];

function rowsBelow(path: string, node: Node): string[] {
  const [inner, prefix] = node.items === undefined ? [node, path] : [node.items, `${path}[]`];
  return Object.entries(inner.properties ?? {}).flatMap(([name, child]) => {
    const at = `${prefix}.${name}`;
    const below = rowsBelow(at, child);
    return [rowOf(at, child, inner.required?.includes(name) ?? false), ...below];
  });
}

function rowOf(path: string, node: Node, isRequired: boolean): string {
  return `| ${
    [`\`${path}\``, valueOf(node), isRequired ? 'required' : defaultOf(node.default), sentence(node.description)].map((
      cell,
    ) => cell.replaceAll('|', '\\|')).join(' | ')
  } |`;
}

function valueOf(node: Node): string {
  if (node.const !== undefined) return code(node.const);
  if (node.enum !== undefined) return node.enum.map(code).join(', ');
  if (node.format !== undefined) return FORMATS[node.format].expected;
  if (node['x-expected'] !== undefined) return node['x-expected'];
  const type = [node.type ?? 'object'].flat().map((each) => TYPES[each]!).join(' or ');
  if (node.items !== undefined) return `${type}; ${itemsOf(node.items)}`;
  if (node.minimum !== undefined) return `${type}, ${node.minimum} to ${node.maximum}`;
  return type;
}

function itemsOf(item: Node): string {
  if (item.properties !== undefined || item.type === 'object') return 'each a mapping';
  return item.enum === undefined ? `each ${item['x-expected'] ?? 'a text'}` : `of ${valueOf(item)}`;
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === '' || isEmptyMapping(value)) return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

const isEmptyMapping = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const code = (value: unknown): string => `\`${String(value)}\``;

function sentence(text = ''): string {
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
