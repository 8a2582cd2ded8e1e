import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables that contain secrets. */
const SECRET = /TOKEN|SECRET|PASS|KEY|CREDENTIAL|BEARER|AUTH|PRIVATE|COOKIE|SALT|DSN|OTLP_.*HEADERS/i;
/** A URL with a password. */
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * Removes the secrets from this process's environment: returns the original environment, keeps in `process.env`, which
 * children inherit, only variables without secrets, and overwrites the initial environment, which other processes can
 * read at /proc/PID/environ (proc_pid_environ(5)). The reason says why the last step was not possible.
 */
export function clearEnvironment(): { readonly env: Environment; readonly reason?: string } {
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
