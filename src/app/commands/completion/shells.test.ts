import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import { processIo } from '../shared/io.ts';
import { completionModel } from './model.ts';
import { bashCompletion, fishCompletion, zshCompletion } from './shells.ts';

const execute = promisify(execFile);

/** Stands for the program, which the scripts ask for names. */
const QUIRE = `#!/bin/sh
case "$2 $3" in
  'collections ') printf 'blog\\nguides\\n' ;;
  'keys blog') printf 'hello\\nhelp/start\\n' ;;
  'profiles ') printf 'work\\nhome\\n' ;;
esac
`;

/** Prints what bash offers for the last of its arguments. */
const IN_BASH = 'source "$0"; COMP_WORDS=(quire "$@"); COMP_CWORD=$#; _quire; printf "%s\\n" "${COMPREPLY[@]}"';

/** The same for fish; options come with their description after a tab. */
const IN_FISH = 'source $argv[1]; complete -C "quire $argv[2]"';

/** Types a line with a tab into an interactive zsh, in which the words that the completion adds are printed. */
const IN_ZSH = `
zmodload zsh/zpty
zpty inner env TERM=dumb zsh -f -i
zpty -w inner "PROMPT= ; autoload -U compinit; compinit -D -u; source $1"
zpty -w inner 'compadd() {
  local before=" \${(j: :)@[1,(i)(-|--)]} "
  if [[ $before == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -O hits "$@"
  print -rl -- "offer:"\${^hits}
}
capture() { _main_complete; print "offers:" end; exit; }
zle -C capture complete-word capture
bindkey "^I" capture; print re""ady'
zpty -r inner text '*ready*'
zpty -w -n inner "quire $2"$'\\t'
zpty -r inner text '*offers: end*'
print -r -- $text
`;

type Complete = (script: string, words: readonly string[]) => Promise<string[]>;

const SHELLS: readonly { readonly name: string; readonly write: typeof bashCompletion; readonly complete: Complete }[] =
  [{
    name: 'bash',
    write: bashCompletion,
    complete: async (script, words) => linesOf(await run('bash', '-c', IN_BASH, script, ...words)),
  }, {
    name: 'zsh',
    write: zshCompletion,
    complete: async (script, words) =>
      [...(await run('zsh', '-f', '-c', IN_ZSH, 'zsh', script, words.join(' '))).matchAll(/offer:([^\r\n]+)/g)].map((
        [, word],
      ) => word!),
  }, {
    name: 'fish',
    write: fishCompletion,
    complete: async (script, words) =>
      linesOf(await run('fish', '--no-config', '-c', IN_FISH, script, words.join(' '))).map((line) =>
        line.split('\t')[0]!
      ),
  }];

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-completion-'));
  await writeFile(join(folder, 'quire'), QUIRE);
  await chmod(join(folder, 'quire'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

async function run(shell: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(shell, args, {
    cwd: folder,
    timeout: 20_000,
    env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, LANG: 'C.UTF-8' },
  });
  return stdout;
}

function isHere(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
}

/** What is typed, by words, and what is offered for the last one. */
const CASES: readonly (readonly [typed: readonly string[], offered: readonly string[]])[] = [[['us'], ['users']], [[
  'users',
  'per',
], ['permissions', 'permit']], [['list', '--limit', '5', '--as'], ['--asc']], [['list', '--sort', ''], ['addedAt',
  'key', 'updatedAt']], [['completion', ''], ['bash', 'fish', 'zsh']], [['get', 'b'], ['blog']], [['get', 'blog', ''], [
  'hello',
  'help/start',
]], [['search', '-c', ''], ['blog', 'guides']], [['whoami', '--profile', ''], ['home', 'work']], [['get', 'guides', ''],
  []]];

describe.each(SHELLS)('the completion for $name', ({ name, write, complete }) => {
  let script: string;
  beforeAll(async () => {
    script = join(folder, `completion.${name}`);
    await writeFile(script, write(completionModel(await createProgram('all', processIo))));
  });

  it('offers commands, options, their values, and what the service has', async ({ skip }) => {
    if (!isHere(name)) skip(`${name} is not installed here`);
    const offers = await Promise.all(CASES.map(async ([typed]) => [typed, (await complete(script, typed)).sort()]));
    expect(offers).toEqual(CASES);
  });
});
