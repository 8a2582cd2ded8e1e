import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its listening line. */
  readonly readyMs: number;
  stop(): Promise<void>;
  /** Kills it, to simulate a crash. */
  kill(): Promise<void>;
}

/** The document service as started by a user, on a free port; with further settings, if any. */
export function startQuire(database: string, env: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  return start([join(ROOT, 'bin/quire.js'), 'docs', '--db', database, '--http-addr', '127.0.0.1:0'], {
    SVC_LOG_LEVEL: 'warn',
    SVC_GRPC_ADDR: '127.0.0.1:0',
    SVC_MCP_ADDR: '127.0.0.1:0',
    ...env,
  });
}

/** A script that prints `listening on URL`. */
export function startScript(file: string, ...args: string[]): Promise<BenchServer> {
  return start([file, ...args], {});
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<BenchServer> {
  return startProgram(process.execPath, args, env);
}

/** A program that prints `listening on URL`. */
export async function startProgram(command: string, args: readonly string[],
  env: Readonly<Record<string, string>> = {}): Promise<BenchServer>
{
  const begun = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const url = await listeningUrl(child);
  // A part that fails does not stop its servers.
  const leave = () => child.kill('SIGKILL');
  process.once('exit', leave);
  const end = async (signal: NodeJS.Signals) => {
    process.off('exit', leave);
    child.kill(signal);
    await once(child, 'exit');
  };
  return {
    url,
    pid: child.pid!,
    readyMs: performance.now() - begun,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listening on (http:\S+)/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

/** Resident memory of a process in bytes, and its peak so far. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]);
  return { now: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}

/** Processor time of a process and its children in seconds; the kernel counts in hundredths. */
export function secondsOf(pid: number): number {
  const stats = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) =>
    [Number(name), statOf(name)] as const
  );
  const family = stats.filter(([each, [, parent]]) => each === pid || Number(parent) === pid);
  return family.reduce((sum, [, fields]) => sum + Number(fields[11]) + Number(fields[12]), 0) / 100;
}

/** Fields of `/proc/PID/stat` from the state on; none if the process has ended. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
  } catch {
    return [];
  }
}
