import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How git authenticates to one server: by a password or by a key; empty texts for none. */
export interface GitCredentials {
  readonly username: string;
  readonly password: string;
  readonly sshKey: string;
  readonly knownHosts: string;
}

/** The credentials of git for one repository, and how they are removed. */
interface GivenCredentials {
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const NONE: GivenCredentials = { env: {}, remove: async () => undefined };

/** Git requests the password only for the host of the repository: a server that it is redirected to gets nothing. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$QUIRE_GIT_USERNAME" "$QUIRE_GIT_PASSWORD"; }; f';

/**
 * Lets git authenticate to one server. A password is only in the environment of git; a key is a file in `folder`, which
 * no other user may enter yet. Throws a readable reason.
 */
export async function giveCredentials(credentials: GitCredentials | undefined, url: string,
  folder: string): Promise<GivenCredentials>
{
  if (credentials === undefined) return NONE;
  const { username, password, sshKey, knownHosts } = credentials;
  if (password !== '') return withPassword(url, username, password.trim());
  if (sshKey !== '') return withKey(sshKey, knownHosts, folder);
  return NONE;
}

function withPassword(url: string, username: string, password: string): GivenCredentials {
  if (!/^https?:\/\//.test(url))
    throw new Error('the token of the repository is not used: its address is not https://');

  if (/[\u0000-\u001f]/.test(username + password))
    throw new Error('the token of the repository has line breaks or control characters');
  const { origin } = new URL(url);
  return {
    ...NONE,
    env: {
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'credential.helper',
      GIT_CONFIG_VALUE_0: '', // those of the machine are not asked
      GIT_CONFIG_KEY_1: `credential.${origin}.helper`,
      GIT_CONFIG_VALUE_1: HELPER,
      QUIRE_GIT_USERNAME: username,
      QUIRE_GIT_PASSWORD: password,
    },
  };
}

async function withKey(key: string, knownHosts: string, folder: string): Promise<GivenCredentials> {
  const [keyFile, hostsFile] = [join(folder, 'git-key'), join(folder, 'git-known-hosts')];
  if (/[^\w./-]/.test(folder))
    throw new Error(`a key cannot be used in the work folder ${folder}: its path has spaces or signs`);
  await writeFile(keyFile, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600, flag: 'wx' });
  if (knownHosts !== '') await writeFile(hostsFile, `${knownHosts}\n`, { mode: 0o600, flag: 'wx' });
  const hosts = knownHosts === '' ? '' : ` -o UserKnownHostsFile=${hostsFile} -o GlobalKnownHostsFile=/dev/null`;
  return {
    env: {
      GIT_SSH_COMMAND: `ssh -i ${keyFile} -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o ` +
        `StrictHostKeyChecking=yes${hosts}`,
    },
    remove: async () => {
      for (const file of [keyFile, hostsFile]) await rm(file, { force: true });
    },
  };
}
