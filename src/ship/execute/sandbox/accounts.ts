import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from './wrap.ts';

/** The name of a user that only a run has. */
const NAME = 'quire-run';

/** The files of accounts, by their places in a system. */
export const ACCOUNT_FILES = { passwd: '/etc/passwd', group: '/etc/group' } as const;

interface Account extends User {
  /** Home folder of the run. */
  readonly home: string;
}

/**
 * Writes `passwd` and `group` with an entry for the user of a run into a new folder: programs such as ssh refuse to
 * start as a user without a name, and look for their files in the home of that entry. The other accounts are those of
 * this machine, and `container-passwd` and `container-group` have only those that every image has. Steps must not be
 * able to replace the folder, because the sandbox puts the files into their places.
 */
export async function writeAccounts(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { mode: 0o711 });
  const [users, groups] = await Promise.all([linesOf(ACCOUNT_FILES.passwd), linesOf(ACCOUNT_FILES.group)]);
  const name = fieldOf(users.find((line) => fieldOf(line, 2) === String(account.uid)), 0) || NAME;
  const group = fieldOf(groups.find((line) => fieldOf(line, 2) === String(account.gid)), 0) || NAME;
  // A colon would end the field.
  const home = /[:\n]/.test(account.home) ? '/' : account.home;
  const user = `${name}:x:${account.uid}:${account.gid}:Quire run:${home}:/bin/sh`;
  const files = {
    'passwd': [user, ...without(users, name, account.uid)],
    'group': [`${group}:x:${account.gid}:`, ...without(groups, group, account.gid)],
    'container-passwd': [user,
      ...without(['root:x:0:0:root:/root:/bin/sh', 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false'], name,
        account.uid)],
    'container-group': [`${group}:x:${account.gid}:`,
      ...without(['root:x:0:', 'nogroup:x:65534:'], group, account.gid)],
  };
  for (const [file, lines] of Object.entries(files))
    await writeFile(join(folder, file), `${lines.join('\n')}\n`, { mode: 0o644, flag: 'wx' });
}

const without = (lines: readonly string[], name: string, id: number): string[] =>
  lines.filter((line) => fieldOf(line, 0) !== name && fieldOf(line, 2) !== String(id));

function fieldOf(line: string | undefined, index: number): string {
  return line?.split(':')[index] ?? '';
}

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
