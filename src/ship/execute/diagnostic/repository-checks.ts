import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { type ExecutorContext, marksOf, type Work } from '../context.ts';
import { GIT, gitEnvironment } from '../git.ts';
import { runProcess } from '../process/index.ts';
import { alarm } from '../work-limits.ts';
import { broken, type Check, fine } from './finding.ts';
import { type GitHost, gitHost } from './git-host.ts';

const LIST_MS = 20_000;
const CONNECT_MS = 10_000;
const MAX_OUTPUT = 4_096;

export const git: Check = async (context, work) => {
  const { ok, text } = await runGit(context, work, ['--version']);
  return ok ? fine(text) : broken(`git can't be used: ${text}`);
};

/** Uses the same route as a checkout. */
export const repository: Check = async (context, work, { gitUrl }) => {
  if (gitUrl === '') return fine('there is no repository to be fetched');
  const { ok, text } = await runGit(context, work, ['ls-remote', '--exit-code', '--', gitUrl, 'HEAD']);
  return ok ? fine('git can read the repository') : broken(`git can't read the repository: ${text}`);
};

export const host: Check = async ({ env }, { limits }, { gitUrl }) => {
  const target = gitHost(gitUrl);
  if (target === undefined) return fine('the repository is not on another host');
  const proxy = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].find((name) => env[name]);
  if (proxy !== undefined && target.web) return fine(`${target.host} is reached through a proxy (${proxy})`);
  const { address } = await lookup(target.host);
  return fine(`${target.host} is ${address}; ${await reach(target, limits.ended)}`);
};

/** Connects, and reports what answered. */
function reach({ host, port, tls }: GitHost, ended: AbortSignal): Promise<string> {
  const done = Promise.withResolvers<string>();
  const socket: Socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, () =>
      done.resolve(describe(socket, port)))
    : connect({ host, port }, () => done.resolve(`port ${port} is open`));
  const timeout = alarm(CONNECT_MS);
  const give = (): void =>
    void socket.destroy(new Error(`no connection to ${host}:${port} within ${CONNECT_MS / 1000} s`));
  timeout.signal.addEventListener('abort', give, { once: true });
  ended.addEventListener('abort', give, { once: true });
  socket.on('error', done.reject);
  return done.promise.finally(() => {
    timeout.clear();
    ended.removeEventListener('abort', give);
    socket.destroy();
  });
}

function describe(socket: Socket, port: number): string {
  if (!(socket instanceof TLSSocket)) return `port ${port} is open`;
  return `${socket.getProtocol()} on port ${port}, certificate valid until ${socket.getPeerCertificate().valid_to}`;
}

/** Runs git; returns its output, or why there is none. */
async function runGit(context: ExecutorContext, { ref, limits }: Work,
  args: readonly string[]): Promise<{ ok: boolean; text: string }>
{
  const marks = marksOf(ref);
  const output: Buffer[] = [];
  const writer = {
    write: async (chunk: Buffer) => void output.push(chunk.subarray(0, MAX_OUTPUT)),
    flush: async () => undefined,
    end: async () => undefined,
  };
  const timeout = alarm(LIST_MS);
  const kill = AbortSignal.any([timeout.signal, limits.ended]);
  try {
    const end = await runProcess({
      argv: [...GIT, ...args],
      cwd: context.workDir,
      env: gitEnvironment(context, marks),
      marks,
      stdout: writer,
      stderr: writer,
    }, { stop: kill, graceMs: () => 0, kill });
    if (timeout.signal.aborted) return { ok: false, text: `no response within ${LIST_MS / 1000} s` };
    const text = Buffer.concat(output).toString().slice(0, MAX_OUTPUT).trim().replace(/\s*\n\s*/g, '; ');
    return { ok: end.exitCode === 0, text: end.spawnError ?? (text || `git exited with code ${end.exitCode}`) };
  } finally {
    timeout.clear();
  }
}
