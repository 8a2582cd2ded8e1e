import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

interface Sealed {
  /** The original environment, which now only this process has. */
  readonly env: Environment;
  /** What was not possible, for the log. */
  readonly problems: readonly string[];
}

/**
 * Protects the secrets of this process, which are passed in its environment, from other processes. Must be called once,
 * before other processes are started.
 */
export async function sealProcess(): Promise<Sealed> {
  const { env, reason } = clearEnvironment();
  const open = await closeMemory();
  const problems = [
    ...(reason === undefined ? [] : [`the environment that this process was started with stays readable: ${reason}`]),
    ...(open === undefined ? [] : [`the memory of this process stays readable to processes of its user: ${open}`]),
  ];
  return { env, problems };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables that contain secrets. */
const SECRET = /TOKEN|SECRET|PASS|KEY|CREDENTIAL|BEARER|AUTH|PRIVATE|COOKIE|SALT|DSN|OTLP_.*HEADERS/i;
/** A URL with a password. */
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * Removes the secrets from this process's environment: returns the original environment, keeps in `process.env`, which
 * children inherit, only variables without secrets, and overwrites the initial environment, which other processes can
 * read at /proc/PID/environ (proc_pid_environ(5)). The reason says why the last step was not possible.
 */
function clearEnvironment(): { readonly env: Environment; readonly reason?: string } {
  const env: Environment = Object.freeze({ ...process.env });
  for (const [name, value] of Object.entries(env)) {
    if (SECRET.test(name) || WITH_PASSWORD.test(value!)) delete process.env[name];
    // Setting the variable again stores it elsewhere: its original place is overwritten below.
    else process.env[name] = value;
  }
  try {
    overwriteInitial();
    return { env };
  } catch (error) {
    return { env, reason: error instanceof Error ? error.message : String(error) };
  }
}

function overwriteInitial(): void {
  if (process.platform !== 'linux') return;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name in parentheses may contain any character; fields 3 and on follow it, and 50 and 51 are the block
  // (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start, end] = [Number(fields[50 - 3]), Number(fields[51 - 3])];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start <= 0 || end <= start)
    throw new Error('the place of the environment is not known');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    writeSync(memory, Buffer.alloc(end - start), 0, end - start, start);
  } finally {
    closeSync(memory);
  }
}

/** prctl(2), linux/prctl.h. */
const PR_SET_DUMPABLE = 4;
/** Any user id except root's; the kernel shows this one for users that it cannot map. */
const NOBODY = 65_534;

/**
 * Prevents other processes of the same user from reading this process's memory and environment, and prevents core files
 * (PR_SET_DUMPABLE). The reason says why that was not possible.
 */
export async function closeMemory(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has it';
  if (process.getuid?.() === 0 && byChangingUser()) return undefined;
  try {
    // Node has no prctl. The package is optional, and only loaded here.
    const { default: koffi } = await import('koffi');
    const prctl = koffi.load(null).func('prctl', 'int', ['int', 'unsigned long', 'unsigned long', 'unsigned long',
      'unsigned long']) as (...args: number[]) => number;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0 ? undefined : 'the system refuses it';
  } catch (error) {
    return `the optional package koffi is missing (${
      error instanceof Error ? error.message.split('\n')[0] : String(error)
    })`;
  }
}

/**
 * Root needs no package: the kernel protects the memory of a process whose effective user changes, and keeps it
 * protected.
 */
function byChangingUser(): boolean {
  try {
    process.seteuid!(NOBODY);
    process.seteuid!(0);
    return true;
  } catch {
    return false;
  }
}
