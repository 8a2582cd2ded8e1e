import { dirname } from 'node:path';
import type { ExecutorContext } from './context.ts';

/** Variables of this process that git may need to reach a repository. */
const FROM_MACHINE = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE',
  'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/**
 * The environment of git when the ship itself runs it: with the machine's own credentials and proxies, but it never
 * waits for input, and cannot use transports that run commands (`ext::`).
 */
export function gitEnvironment({ env, gitProtocols, workDir }: ExecutorContext,
  marks: readonly string[]): Record<string, string>
{
  const taken = FROM_MACHINE.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return {
    ...Object.fromEntries(taken),
    LANG: 'C.UTF-8',
    // No folder above the work folder is used as a repository, because its settings could run commands.
    GIT_CEILING_DIRECTORIES: dirname(workDir),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
    GIT_ALLOW_PROTOCOL: gitProtocols.join(':'),
    ...Object.fromEntries(marks.map((mark) => mark.split(/=(.*)/s).slice(0, 2))),
  };
}

/** Repositories contain no hooks when they are cloned, but the machine's templates may. */
export const GIT = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'] as const;
