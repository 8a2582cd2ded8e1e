/** Where the values of a field are stored. */
export type Column =
  /** Times of the document, in Unix seconds. */
  | { readonly kind: 'time'; readonly name: 'addedAt' | 'updatedAt' | 'expiresAt' }
  /** What the document is called; letter case does not matter. */
  | { readonly kind: 'name'; readonly name: 'key' | 'lang' }
  | { readonly kind: 'meta'; readonly key: string };

const PREFIX = 'meta.';
const COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...(['addedAt', 'updatedAt', 'expiresAt'] as const).map((name): [string, Column] => [name, { kind: 'time', name }]),
  ...(['key', 'lang'] as const).map((name): [string, Column] => [name, { kind: 'name', name }]),
]);

/**
 * A field of the document; otherwise a metadata key. Its prefix `meta.` may be omitted unless the key has the name of a
 * document field.
 */
export function columnOf(field: string): Column {
  return COLUMNS.get(field) ?? {
    kind: 'meta',
    key: field.startsWith(PREFIX) && field.length > PREFIX.length ? field.slice(PREFIX.length) : field,
  };
}
