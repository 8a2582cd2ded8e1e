import { isAlias, isMap, isSeq, parseDocument, type Document, type YAMLMap, type YAMLSeq } from 'yaml';

/**
 * The text of a configuration with one more project at the end of `projects`. Comments, order, anchors and the
 * spelling of values stay; spaces within lines may be normalised. The text must be a valid configuration.
 */
export function appendProject(text: string, project: object): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core', merge: true });
  projectsOf(document).add(document.createNode(project));
  const written = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? written.replaceAll(/\r?\n/g, '\r\n') : written;
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

/** A file of comments alone has no root. */
function rootOf(document: Document): YAMLMap {
  if (isMap(document.contents)) return document.contents as YAMLMap;
  const root = document.createNode({}) as YAMLMap;
  document.contents = root;
  return root;
}
