/** Sets a property under any name: `__proto__` too becomes an ordinary one, as `JSON.parse` has it. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
