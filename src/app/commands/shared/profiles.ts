import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from './command-error.ts';

/** A server and what to sign in to it with. */
export interface Profile {
  /** Address of the document service. */
  readonly url?: string;
  readonly username?: string;
  /** Token of a sign-in, valid until `expiresAt` (Unix seconds). */
  readonly token?: string;
  readonly expiresAt?: number;
  readonly apiKey?: string;
  /** Hash under which the service knows a key that `quire login --keep` made. */
  readonly keyHash?: string;
  /** Address and API token of a run-queue service. */
  readonly runsUrl?: string;
  readonly runsToken?: string;
}

export interface Profiles {
  /** Name of the profile that is used where none is named. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The file with the profiles, by the XDG Base Directory Specification. */
export function profilesFile(env: Environment = process.env): string {
  const base = env['XDG_CONFIG_HOME'];
  // A relative path is invalid and has to be ignored, says the specification.
  return join(base?.startsWith('/') ? base : join(homedir(), '.config'), 'quire', 'profiles.json');
}

/**
 * The profiles of this user; none where there is no file yet.
 * @throws {CommandError} when the file cannot be read or is no such file.
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
    // Without a prototype, so that no name means something else.
    return { ...(current !== undefined && { current }), profiles: Object.assign(Object.create(null) as object, profiles) };
  } catch (error) {
    throw new CommandError(`${file} is not JSON: delete it and sign in again`, { cause: error });
  }
}

/** Writes the profiles, for this user alone. The old file stays until the new one is whole. */
export function writeProfiles(profiles: Profiles, env: Environment = process.env): void {
  const file = profilesFile(env);
  const part = `${file}.${process.pid}.part`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(part, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, file);
}

/** @throws {CommandError} for a name that could not be typed or shown safely. */
export function checkProfileName(name: string): string {
  if (!NAME.test(name)) throw new CommandError(`a profile is named by 1 to 64 letters, digits, ".", "_" and "-", got ${JSON.stringify(name)}`);
  return name;
}

/**
 * The profile of that name.
 * @throws {CommandError} when there is none, naming those that there are.
 */
export function profileNamed(name: string, { profiles }: Profiles): Profile {
  const found = profiles[name];
  if (found !== undefined) return found;
  const names = Object.keys(profiles);
  throw new CommandError(`there is no profile ${JSON.stringify(name)}: ${names.length === 0 ? 'make one with `quire login`' : `there are ${names.join(', ')}`}`);
}
