import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isMap, isSeq, parse, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { spliceProject } from './splice-project.ts';
import { type ProjectEdit, updateMap, YAML } from './update-map.ts';

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
