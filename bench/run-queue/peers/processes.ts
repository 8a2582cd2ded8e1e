import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../../support/server.ts';

/** A server of a peer. */
export interface PeerServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * A separate PostgreSQL, as installed by Debian, with its defaults: commits are synced. Undefined if it is not
 * installed.
 */
export async function startPostgres(folder: string): Promise<PeerServer | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const owner = ownerOf('postgres');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  if (owner !== undefined) {
    chownSync(folder, owner.uid, owner.gid);
    // Temporary folders are not accessible to other users.
    for (let above = dirname(folder); above.startsWith(`${ROOT}/`); above = dirname(above)) chmodSync(above, 0o711);
  }
  const data = join(folder, 'data');
  const init = spawnSync(join(programs, 'initdb'), ['-D', data, '-U', 'app', '--auth=trust', '--encoding=UTF8',
    '--locale=C.UTF-8'], { cwd: '/', ...owner });
  if (init.status !== 0) throw new Error(`initdb: ${init.stderr.toString()}`);
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  return running(spawn(join(programs, 'postgres'), args, { cwd: '/', stdio: 'ignore', ...owner }), port, 'SIGINT');
}

/**
 * A separate Redis; every command is synced to its file before it is acknowledged. Undefined if it is not installed.
 */
export async function startRedis(folder: string, appendfsync: 'always' | 'everysec'): Promise<PeerServer | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes',
    '--appendfsync', appendfsync];
  return running(spawn('redis-server', args, { stdio: 'ignore' }), port, 'SIGTERM');
}

function postgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const newest = existsSync(root) ? readdirSync(root).sort((a, b) => Number(a) - Number(b)).at(-1) : undefined;
  return newest === undefined ? undefined : join(root, newest, 'bin');
}

/** PostgreSQL refuses to run as root. */
function ownerOf(user: string): { uid: number; gid: number } | undefined {
  if (process.getuid!() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((each) => each.startsWith(`${user}:`))!;
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function running(child: ChildProcess, port: number, signal: NodeJS.Signals): Promise<PeerServer> {
  let ended = false;
  child.once('exit', () => (ended = true));
  while (!await answers(port)) {
    if (ended) throw new Error(`the server of a peer ended with ${child.exitCode}`);
    await setTimeout(50);
  }
  return {
    port,
    async stop() {
      child.kill(signal);
      if (!ended) await once(child, 'exit');
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
