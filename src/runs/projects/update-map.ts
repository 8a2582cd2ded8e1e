import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';

/** A change of `projects`: add one at the end, replace the one with this id, or remove it. */
export type ProjectEdit = { readonly add: object } | { readonly id: string; readonly replaceBy: object } | {
  readonly id: string;
  readonly remove: true;
};

/** The options with which the configuration is read (`text/safe-yaml.ts`). */
export const YAML = { version: '1.2', schema: 'core', merge: true } as const;

/** Remaining keys keep their position and their comments. */
export function updateMap(document: Document, map: YAMLMap, value: object): void {
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
