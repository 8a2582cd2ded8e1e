import { lookup } from 'node:dns/promises';
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { Agent, request } from 'undici';
import { type DiagnosticPlan, Outcome, type RoleProbe } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import { formatDuration } from '../../lib/duration.ts';
import { giveCredentials } from '../../lib/git-credentials.ts';
import { endpointUrl } from './ai-text/send-chat.ts';
import { type ExecutorContext, marksOf, type Work } from './context.ts';
import { failed } from './failure.ts';
import { GIT, gitEnvironment } from './git.ts';
import { makeWorkFolder, removeFolder } from './pipeline/work-folder.ts';
import type { WorkResult } from './port.ts';
import { runProcess } from './process/run-process.ts';
import type { Variables } from './sandbox/index.ts';
import { alarm } from './work-limits.ts';

/** One line of the log. */
interface Finding {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

/** Checks one thing. An error that it throws is a finding. */
type Check = (context: ExecutorContext, work: Work, plan: DiagnosticPlan) => Promise<readonly Finding[]>;

const fine = (text: string): Finding[] => [{ level: 'info', text }];
const doubtful = (text: string): Finding[] => [{ level: 'warn', text }];
const broken = (text: string): Finding[] => [{ level: 'error', text }];

const MiB = 2 ** 20;
const MIN_DISK = 1024 * MiB;
const LOW_MEMORY = 256 * MiB;
/**
 * Above this difference of clocks, times in the log look wrong; above five minutes, certificates of a new ship seem not
 * valid yet.
 */
const ODD_CLOCK_MS = 5_000;
const WRONG_CLOCK_MS = 300_000;

const versions: Check = async ({ version }) =>
  fine(
    `quire ${version}, node ${process.version}, ${process.platform}/${process.arch} ${release()}, ` +
      `${availableParallelism()} processors`,
  );

const clock: Check = async ({ serverOffsetMs }) => {
  if (serverOffsetMs === undefined) return fine("this machine's clock is the service's");
  const offset = serverOffsetMs();
  if (offset === undefined) return doubtful("it is not known yet how far the service's clock is off");
  const text = `the service's clock is ${formatDuration(Math.round(Math.abs(offset)))} ${
    offset < 0 ? 'behind' : 'ahead'
  }`;
  return Math.abs(offset) >= WRONG_CLOCK_MS
    ? broken(text)
    : Math.abs(offset) >= ODD_CLOCK_MS
    ? doubtful(text)
    : fine(text);
};

const disk: Check = async ({ workDir }) => {
  const { bavail, bsize } = await statfs(workDir);
  const free = bavail * bsize;
  const text = `${size(free)} are free in ${workDir}`;
  return free < MIN_DISK ? broken(`${text}, less than ${formatByteSize(MIN_DISK)}`) : fine(text);
};

const memory: Check = async () => {
  const available = process.availableMemory();
  const text = `${size(available)} of memory are available`;
  return available < LOW_MEMORY ? doubtful(text) : fine(text);
};

const workFolder: Check = async ({ workDir }, { ref }) => {
  const file = join(workDir, `.write-${ref.runId}.${ref.attempt}`);
  try {
    await writeFile(file, 'quire', { mode: 0o600 });
  } finally {
    await unlink(file).catch(() => undefined);
  }
  return fine(`${workDir} can be written to`);
};

const sandbox: Check = async ({ sandbox: name, sandboxes, users }) => {
  const chosen = await sandboxes.choose(name);
  if ('reason' in chosen) return broken(chosen.reason);
  const what = `the sandbox is ${chosen.name}`;
  if (users !== undefined) return fine(`${what}; each run has a user of its own`);
  return chosen.name === 'none' || chosen.name === 'systemd'
    ? doubtful(`${what}; steps run as the user of the service, as it is configured, and can read what that may read`)
    : fine(what);
};

function size(bytes: number): string {
  return `${Math.floor(bytes / MiB)} MiB`;
}

interface GitHost {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Whether it is reached over HTTP, possibly through a proxy. */
  readonly web: boolean;
}

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22, 'git:': 9418 };

/** The host of a git address: a URL, or `user@host:path`, which means SSH. Undefined for a local path. */
export function gitHost(address: string): GitHost | undefined {
  const short = /^(?:[\w.-]+@)([\w.-]+|\[[0-9a-f:]+\]):(?!\/\/)/i.exec(address);
  if (short !== null) return { host: unbracketed(short[1]!), port: 22, tls: false, web: false };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const port = PORTS[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') return undefined;
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return {
    host: unbracketed(url.hostname),
    port: url.port === '' ? port : Number(url.port),
    tls: url.protocol === 'https:',
    web,
  };
}

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

const LIST_MS = 20_000;
const CONNECT_MS = 10_000;
const MAX_OUTPUT = 4_096;

const git: Check = async (context, work) => {
  const { ok, text } = await runGit(context, work, ['--version']);
  return ok ? fine(text) : broken(`git can't be used: ${text}`);
};

/** Uses the same route and the same credentials as a checkout. */
const repository: Check = async (context, work, { gitUrl, credentials }) => {
  if (gitUrl === '') return fine('there is no repository to be fetched');
  const { ok, text } = await withCredentials(context, work, { gitUrl, credentials },
    (env) => runGit(context, work, ['ls-remote', '--exit-code', '--', gitUrl, 'HEAD'], env));
  return ok ? fine('git can read the repository') : broken(`git can't read the repository: ${text}`);
};

/** A key is in a file, in a folder that is removed with the key when this process dies. */
async function withCredentials<T>(context: ExecutorContext, { ref }: Work,
  { gitUrl, credentials }: Pick<DiagnosticPlan, 'gitUrl' | 'credentials'>,
  use: (env: Readonly<Record<string, string>>) => Promise<T>): Promise<T>
{
  if (credentials === undefined) return use({});
  const folder = await makeWorkFolder(context.workDir, `${ref.runId}.${ref.attempt}`, new Uint8Array(), undefined);
  try {
    const given = await giveCredentials(credentials, gitUrl, folder.path);
    return await use(given.env);
  } finally {
    await removeFolder(folder.path, undefined);
  }
}

const host: Check = async ({ env }, { limits }, { gitUrl }) => {
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
async function runGit(context: ExecutorContext, { ref, limits }: Work, args: readonly string[],
  env: Readonly<Record<string, string>> = {}): Promise<{ ok: boolean; text: string }>
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
      env: { ...gitEnvironment(context, marks), ...env },
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

const ANSWER_MS = 10_000;

/** Checks whether the endpoint of each AI role accepts this ship. */
const models: Check = async ({ env }, { limits }, { roles }) => {
  if (roles.length === 0) return fine('there are no AI roles');
  return (await Promise.all(roles.map((role) => probe(role, env, limits.ended)))).flat();
};

async function probe({ role, endpoint, apiKeyEnv }: RoleProbe, env: Variables, ended: AbortSignal): Promise<Finding[]> {
  const key = apiKeyEnv === '' ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== '' && !key)
    return doubtful(`role ${role}: the variable ${apiKeyEnv} is not set, so its runs don't come here`);
  const agent = new Agent();
  try {
    const { statusCode } = await request(endpointUrl(endpoint, '/models'), {
      headers: { Accept: 'application/json', ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
      dispatcher: agent,
      signal: AbortSignal.any([ended, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (statusCode >= 200 && statusCode < 300) return fine(`role ${role}: ${endpoint} answers`);
    if (statusCode === 404 || statusCode === 405)
      return doubtful(`role ${role}: ${endpoint} answers, but lists no models (${statusCode})`);
    return broken(
      `role ${role}: ${endpoint} answers ${statusCode}${
        statusCode === 401 || statusCode === 403 ? ': it refuses the key' : ''
      }`,
    );
  } catch (error) {
    return broken(
      `role ${role}: ${endpoint} can't be reached: ${
        error instanceof Error ? error.message || error.name : String(error)
      }`,
    );
  } finally {
    await agent.destroy();
  }
}

/** In log order; a run whose task is one of these names runs only that check. */
const CHECKS: Readonly<Record<string, Check>> = {
  versions,
  clock,
  disk,
  memory,
  work_dir: workFolder,
  sandbox,
  git,
  repository,
  host,
  models,
};

/**
 * Checks the machine and what the project needs (decisions, section 5, "diagnostic"): one line per finding; any error
 * fails the run.
 */
export async function runDiagnostic(context: ExecutorContext, work: Work, plan: DiagnosticPlan): Promise<WorkResult> {
  const { limits, output, masker, assignment } = work;
  const names = Object.hasOwn(CHECKS, plan.check) ? [plan.check] : Object.keys(CHECKS);
  const failures: string[] = [];
  work.started();
  for (const name of names) {
    const findings = limits.ended.aborted ? [] : await look(CHECKS[name]!, context, work, plan);
    if (limits.ended.aborted) {
      if (limits.reason === 'stop') return { outcome: Outcome.CANCELLED };
      return failed({
        code: 'timeout',
        message: `the checks took longer than ${formatDuration(Number(assignment.timeoutMs))}`,
      }, masker);
    }
    for (const { level, text } of findings) await output.note(level, `${name}: ${text}`);
    if (findings.some(({ level }) => level === 'error')) failures.push(name);
  }
  if (failures.length === 0) return { outcome: Outcome.SUCCEEDED };
  return failed({
    code: 'diagnostic_failed',
    message: `${failures.length} of ${names.length} checks found errors: ${failures.join(', ')}`,
  }, masker);
}

async function look(check: Check, context: ExecutorContext, work: Work,
  plan: DiagnosticPlan): Promise<readonly Finding[]>
{
  try {
    return await check(context, work, plan);
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}
