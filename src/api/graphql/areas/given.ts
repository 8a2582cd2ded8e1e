/** Returns the object without its null and undefined fields, which count as absent. */
export function given<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field != null)) as Given<T>;
}

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };
