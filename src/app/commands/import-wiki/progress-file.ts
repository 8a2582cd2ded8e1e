import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The progress of an import, from which the next one continues. */
export interface Reached {
  /** Number of pages of the dump that the service has acknowledged, and the id of the last one. */
  readonly pages: number;
  readonly lastId: string;
}

/** Must be equal for an import to continue. */
export interface ImportKey {
  readonly size: number;
  readonly url: string;
  readonly collection: string;
  readonly lang: string;
  readonly namespaces: string;
  readonly skipRedirects: boolean;
}

/** The file with the progress: beside the dump or, if that folder is not writable, in the user's state folder. */
export class ProgressFile {
  readonly #paths: readonly string[];
  readonly #key: ImportKey;

  constructor(dump: string, key: ImportKey, environment: Readonly<Record<string, string | undefined>> = process.env) {
    const state = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
    const name = createHash('sha256').update(resolve(dump)).digest('hex').slice(0, 16);
    this.#paths = [`${dump}.quire-import`,
      join(state, 'quire', `${basename(dump).slice(0, 100)}-${name}.quire-import`)];
    this.#key = key;
  }

  /** Returns undefined if there is none, or if it belongs to another import. */
  async read(): Promise<Reached | undefined> {
    for (const path of this.#paths) {
      const kept = parse(await readFile(path, 'utf8').catch(() => ''));
      if (kept !== undefined &&
        Object.entries(this.#key).every(([name, value]) => kept.key[name as keyof ImportKey] === value))
        return { pages: kept.pages, lastId: kept.lastId };
    }
    return undefined;
  }

  /** Rejects if it cannot be written at either place. */
  async write(reached: Reached): Promise<void> {
    const text = `${JSON.stringify({ ...reached, key: this.#key })}\n`;
    await replace(this.#paths[0]!, text).catch(() => replace(this.#paths[1]!, text));
  }

  async remove(): Promise<void> {
    for (const path of this.#paths) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

function parse(text: string): (Reached & { readonly key: ImportKey }) | undefined {
  try {
    const value = JSON.parse(text) as Partial<Reached> & { readonly key?: ImportKey };
    return Number.isSafeInteger(value.pages) && typeof value.lastId === 'string' && typeof value.key === 'object'
      ? (value as Reached & { key: ImportKey })
      : undefined;
  } catch {
    return undefined;
  }
}
