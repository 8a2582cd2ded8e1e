/**
 * Freezes a tree of plain objects and arrays and returns it. Used for settings, which everyone reads and nothing may
 * change.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
