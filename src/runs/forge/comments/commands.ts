/** What a comment asks for. */
export type Command = { readonly kind: 'retry' } | { readonly kind: 'run'; readonly pipeline: string };

const MAX_COMMANDS = 5;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * The commands of a comment, at most 5: lines that are `/retry` or `/run NAME`. Quotes and code are no commands: their
 * lines begin in another way, or stand between fences.
 */
export function commandsIn(body: string): readonly Command[] {
  const commands: Command[] = [];
  let isFenced = false;
  for (const line of body.split(/\r?\n/)) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isFenced = !isFenced;
    if (isFenced || commands.length === MAX_COMMANDS) continue;
    const [word = '', name = '', ...more] = line.trimEnd().split(/[ \t]+/);
    if (word === '/retry' && name === '') commands.push({ kind: 'retry' });
    if (word === '/run' && more.length === 0 && NAME.test(name)) commands.push({ kind: 'run', pipeline: name });
  }
  return commands;
}
