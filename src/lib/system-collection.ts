/**
 * Whether a collection belongs to the service itself, such as that of the messages of conversations: its name begins
 * with `_`. Lists leave such collections out, and a grant on all collections does not include them.
 */
export function isSystemCollection(name: string): boolean {
  return name.startsWith('_');
}
