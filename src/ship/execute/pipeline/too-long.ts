/** Most bytes of one argument or variable on Linux, without the byte that ends it (execve(2), MAX_ARG_STRLEN). */
const MAX_ONE = 131_071;

/** Why the system refuses to start a command with E2BIG: what is too long, without its value. */
export function whatIsTooLong(argv: readonly string[], env: Readonly<Record<string, string>>): string {
  const parts = [
    ...argv.map((text, index) => ({ what: index === 0 ? 'its program' : 'its command line', bytes: sizeOf(text) })),
    ...Object.entries(env).map(([name, value]) => ({
      what: `the variable ${name}`,
      bytes: sizeOf(name) + 1 + sizeOf(value),
    })),
  ];
  const longest = parts.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const advice = longest.what.startsWith('the variable QUIRE_INPUT') ? '; the file QUIRE_INPUT_FILE has it' : '';
  if (longest.bytes > MAX_ONE)
    return `${longest.what} has ${longest.bytes} bytes, and the system takes at most ${MAX_ONE} for one${advice}`;
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return `its arguments and variables have ${total} bytes together, which is more than the system takes; most has ` +
    `${longest.what}, with ${longest.bytes}${advice}`;
}

const sizeOf = (text: string): number => Buffer.byteLength(text);
