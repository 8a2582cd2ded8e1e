/** Sets an own property of any name: `__proto__` too becomes an ordinary one, as with `JSON.parse`. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
