import { dirname } from 'node:path';

/** Variables of this process that git may need to reach a repository. */
const FROM_MACHINE = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE',
  'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/**
 * The environment of git when a program of ours runs it for a repository of somebody else: with the machine's own
 * credentials and proxies of `env`, but it never waits for input, and uses these transports only, none of which runs
 * commands (`ext::`). No folder above `folder` is used as a repository, because its settings could run commands.
 */
export function environmentOfGit(env: Readonly<Record<string, string | undefined>>, protocols: readonly string[],
  folder: string): Record<string, string>
{
  const taken = FROM_MACHINE.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return {
    ...Object.fromEntries(taken),
    LANG: 'C.UTF-8',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
  };
}
