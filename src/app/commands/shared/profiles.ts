import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from './command-error.ts';

/** A server and the credential for signing in to it. */
export interface Profile {
  /** Address of the document service. */
  readonly url?: string;
  readonly username?: string;
  /** Token of a sign-in, valid until `expiresAt` (Unix seconds). */
  readonly token?: string;
  readonly expiresAt?: number;
  readonly apiKey?: string;
  /** Hash of a key that `quire login --keep` created, by which the service identifies it. */
  readonly keyHash?: string;
  /** Address and API token of a run-queue service. */
  readonly runsUrl?: string;
  readonly runsToken?: string;
}

export interface Profiles {
  /** Name of the profile that is used by default. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The file with the profiles, by the XDG Base Directory Specification. */
export function profilesFile(env: Environment = process.env): string {
  const base = env['XDG_CONFIG_HOME'];
  // The specification says that a relative path is invalid and must be ignored.
  return join(base?.startsWith('/') ? base : join(homedir(), '.config'), 'quire', 'profiles.json');
}

/**
 * The profiles of this user; none if the file does not exist yet.
 * @throws {CommandError} if the file cannot be read or is not valid.
 */
export function readProfiles(env: Environment = process.env): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return { profiles: {} };
    throw new CommandError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    // Without a prototype, so that every name is an ordinary key.
    return {
      ...(current !== undefined && { current }),
      profiles: Object.assign(Object.create(null) as object, profiles),
    };
  } catch (error) {
    throw new CommandError(`${file} is not JSON: delete it and sign in again`, { cause: error });
  }
}

/** Writes the profiles, readable by this user only. The old file stays until the new one is complete. */
export function writeProfiles(profiles: Profiles, env: Environment = process.env): void {
  const file = profilesFile(env);
  const part = `${file}.${process.pid}.part`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(part, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, file);
}

/** @throws {CommandError} for a name that could not be typed or shown safely. */
export function checkProfileName(name: string): string {
  if (!NAME.test(name))
    throw new CommandError(
      `a profile is named by 1 to 64 letters, digits, ".", "_" and "-", got ${JSON.stringify(name)}`,
    );
  return name;
}

/**
 * Returns the profile with that name.
 * @throws {CommandError} if there is none, naming the existing ones.
 */
export function profileNamed(name: string, { profiles }: Profiles): Profile {
  const found = profiles[name];
  if (found !== undefined) return found;
  const names = Object.keys(profiles);
  throw new CommandError(
    `there is no profile ${JSON.stringify(name)}: ${
      names.length === 0 ? 'make one with `quire login`' : `there are ${names.join(', ')}`
    }`,
  );
}
