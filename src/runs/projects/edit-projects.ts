import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isMap, isScalar, isSeq, parse, type ParsedNode, parseDocument, stringify, type YAMLMap,
  type YAMLSeq } from 'yaml';

/**
 * The text of a configuration after the edit. Only the lines of the project change: the lines before and after it stay
 * the same, byte for byte. If they cannot be separated, because of anchors or because the list shares a line with other
 * keys, the whole file is rewritten: comments, order, anchors and values stay, spaces within lines may not. The text
 * must be a valid configuration, and contain the project.
 */
export function editProjects(text: string, edit: ProjectEdit): string {
  const spliced = spliceProject(text, edit);
  if (spliced !== undefined && saysTheSame(spliced, text, edit)) return spliced;
  const document = parseDocument(text, YAML);
  apply(document, edit);
  const written = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? written.replaceAll(/\r?\n/g, '\r\n') : written;
}

/** Whether the text has the values that the edit should produce: edits by lines are checked by values. */
function saysTheSame(spliced: string, text: string, edit: ProjectEdit): boolean {
  const before = valueOf(text);
  const given = (before['projects'] ?? []) as { id?: unknown }[];
  const index = 'add' in edit ? given.length : given.findIndex(({ id }) => id === edit.id);
  const projects = given.toSpliced(index, 1,
    ...('add' in edit ? [edit.add] : 'replaceBy' in edit ? [edit.replaceBy] : []));
  try {
    return isDeepStrictEqual(plain(valueOf(spliced)), plain({ ...before, projects }));
  } catch {
    return false;
  }
}

const valueOf = (text: string): Record<string, unknown> => (parse(text, YAML) ?? {}) as Record<string, unknown>;

/** Removes what JSON cannot express, such as prototypes and undefined values. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function apply(document: Document, edit: ProjectEdit): void {
  const list = projectsOf(document);
  if ('add' in edit) return list.add(document.createNode(edit.add));
  const index = list.items.findIndex((item) => isMap(item) && item.get('id') === edit.id);
  if ('remove' in edit) list.delete(index);
  else updateMap(document, list.items[index] as YAMLMap, edit.replaceBy);
}

function projectsOf(document: Document): YAMLSeq {
  const root = rootOf(document);
  const given = root.get('projects', true);
  const list = isAlias(given) ? given.resolve(document) : given;
  if (isSeq(list)) {
    // `[]` has no style of its own, and a project on one line is hard to read.
    if (list.items.length === 0) list.flow = false;
    return list;
  }
  const made = document.createNode([]) as YAMLSeq;
  root.set('projects', made);
  return made;
}

/** A file that contains only comments has no root. */
function rootOf(document: Document): YAMLMap {
  if (isMap(document.contents)) return document.contents as YAMLMap;
  const root = document.createNode({}) as YAMLMap;
  document.contents = root;
  return root;
}

/** A part of a text: the characters from `from` up to, but not including, `to`. */
interface Part {
  readonly from: number;
  readonly to: number;
}

type Range = readonly [start: number, valueEnd: number, nodeEnd: number];

/**
 * The text after an edit that changes only the lines of one project; undefined if that is not possible. The caller
 * checks that the result has the right values.
 */
function spliceProject(text: string, edit: ProjectEdit): string | undefined {
  const document = parseDocument(text, YAML);
  const root = document.contents;
  if (root !== null && !(isMap(root) && root.flow !== true)) return undefined;
  const pair = root?.items.find(({ key }) => isScalar(key) && key.value === 'projects');
  if (pair === undefined) return 'add' in edit ? withKey(text, edit.add) : undefined;
  const list = pair.value;
  if (isScalar(list) && list.value === null && 'add' in edit)
    return insertLines(text, endOfLine(text, rangeOf(pair.key).from), itemLines(edit.add, 2));
  if (!isSeq(list) || list.anchor !== undefined) return undefined;
  if (list.flow === true) return list.items.length === 0 && 'add' in edit ? fillEmpty(text, list, edit.add) : undefined;
  return editBlock(text, list as YAMLSeq.Parsed, rangeOf(pair.key), edit);
}

function editBlock(text: string, list: YAMLSeq.Parsed, key: Part, edit: ProjectEdit): string | undefined {
  const items = list.items.map((item) => linesOf(text, item));
  if (items.some((part) => part === undefined)) return undefined;
  const last = items.at(-1)!;
  const indent = indentOf(text, last.from);
  if ('add' in edit) return insertLines(text, last.to, itemLines(edit.add, indent));
  const index = list.items.findIndex((item) => isMap(item) && (item as YAMLMap).get('id') === edit.id);
  const part = items[index];
  if (part === undefined) return undefined;
  if ('replaceBy' in edit) {
    const lines = changedLines(text.slice(part.from, part.to), indent, edit.replaceBy);
    return lines && replacePart(text, part, lines);
  }
  const rest = replacePart(text, part, '');
  return items.length > 1 ? rest : `${rest.slice(0, key.to)}: []${rest.slice(key.to).replace(/^\s*:/, '')}`;
}

/**
 * The lines of an item of a block list, including comments that are indented deeper than its dash. Undefined if its
 * dash is not the first character of its line.
 */
function linesOf(text: string, item: ParsedNode): Part | undefined {
  const { from: start, to: end } = rangeOf(item);
  const from = text.lastIndexOf('\n', text.lastIndexOf('-', start)) + 1;
  if (!/^ *-\s/.test(text.slice(from, start + 1)) || (item as YAMLMap).anchor !== undefined) return undefined;
  const indent = indentOf(text, from);
  const content = text.slice(from, end).trimEnd();
  let to = endOfLine(text, from + content.length);
  // Comments below the last key, such as disabled settings, belong to the item.
  for (let line = /^\r?\n(?:[ \t]*\r?\n)*( *)#[^\n]*/.exec(text.slice(to)); line !== null && line[1]!.length > indent;
    line = /^\r?\n(?:[ \t]*\r?\n)*( *)#[^\n]*/.exec(text.slice(to)))
  {
    to += line[0].length;
    if (text[to - 1] === '\r') to -= 1;
  }
  return { from, to };
}

/** The lines of one item with the values of `project`; remaining keys keep their position and their comments. */
function changedLines(lines: string, indent: number, project: object): string | undefined {
  const document = parseDocument(
    lines.split(/\r?\n/).map((line) => (line.startsWith(' '.repeat(indent)) ? line.slice(indent) : line)).join('\n'),
    YAML,
  );
  const list = document.contents;
  const item = isSeq(list) ? list.items[0] : undefined;
  if (document.errors.length > 0 || !isMap(item)) return undefined;
  updateMap(document, item, project);
  return indented(document.toString({ lineWidth: 0, flowCollectionPadding: false }), indent);
}

function itemLines(project: object, indent: number): string {
  return indented(stringify([project], { lineWidth: 0, flowCollectionPadding: false }), indent);
}

function indented(lines: string, indent: number): string {
  return lines.trimEnd().replaceAll(/^(?=.)/gm, ' '.repeat(indent));
}

/** For a file without `projects`. */
function withKey(text: string, project: object): string {
  const body = text.trimEnd();
  const before = text.slice(0, body.length);
  return `${before}${before === '' ? '' : newline(text)}${withNewlines(`projects:\n${itemLines(project, 2)}`, text)}${
    newline(text)
  }`;
}

/** Replaces `[]` on one line by lines. */
function fillEmpty(text: string, list: YAMLSeq, project: object): string | undefined {
  const { from, to } = rangeOf(list as YAMLSeq.Parsed);
  if (!/^\[ *\]$/.test(text.slice(from, to))) return undefined;
  const rest = `${text.slice(0, from).trimEnd()}${text.slice(to)}`;
  return insertLines(rest, endOfLine(rest, text.slice(0, from).trimEnd().length), itemLines(project, 2));
}

function insertLines(text: string, at: number, lines: string): string {
  return `${text.slice(0, at)}${newline(text)}${withNewlines(lines, text)}${
    text.slice(at) === '' ? newline(text) : text.slice(at)
  }`;
}

/** Also removes the line end of the part if there is no replacement. */
function replacePart(text: string, { from, to }: Part, lines: string): string {
  const rest = text.slice(to);
  return `${text.slice(0, from)}${withNewlines(lines, text)}${lines === '' ? rest.replace(/^\r?\n/, '') : rest}`;
}

const newline = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

const withNewlines = (lines: string,
  text: string): string => (text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines);

const indentOf = (text: string, from: number): number => /^ */.exec(text.slice(from))![0].length;

/** The end of the line that contains this position, before its line break. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function rangeOf(node: ParsedNode): Part {
  const [from, to] = node.range as Range;
  return { from, to };
}

/** A change of `projects`: add one at the end, replace the one with this id, or remove it. */
type ProjectEdit = { readonly add: object } | { readonly id: string; readonly replaceBy: object } | {
  readonly id: string;
  readonly remove: true;
};

/** The options with which the configuration is read (`text/safe-yaml.ts`). */
const YAML = { version: '1.2', schema: 'core', merge: true } as const;

/** Remaining keys keep their position and their comments. */
function updateMap(document: Document, map: YAMLMap, value: object): void {
  for (const { key } of [...map.items]) {
    const name = String(isScalar(key) ? key.value : key);
    if (!Object.hasOwn(value, name)) map.delete(name);
  }
  for (const [name, inner] of Object.entries(value)) {
    const node = map.get(name, true);
    if (inner === undefined ||
      isDeepStrictEqual(isMap(node) || isSeq(node) ? node.toJS(document) : map.get(name), inner)) continue;
    if (isScalar(node) && (typeof inner !== 'object' || inner === null)) node.value = inner;
    else if (isMap(node) && isPlainObject(inner)) updateMap(document, node, inner);
    else map.set(name, document.createNode(inner));
  }
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
