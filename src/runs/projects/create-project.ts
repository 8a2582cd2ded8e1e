import { randomUUID } from 'node:crypto';
import { chown, copyFile, open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { durableRename } from '../../lib/files.ts';
import { FileLock } from '../../storage/index.ts';
import { type Environment, hashOf, type LiveRunsConfig, type LoadedRunsConfig, loadRunsConfig, parseProject,
  parseRunsConfig, type ProjectConfig, type RunsConfig, RunsConfigError } from '../config/index.ts';
import { editProjects } from './edit-projects.ts';

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

/** Changes the projects of the configuration file, one change at a time, even if other processes change them too. */
export class ProjectFile {
  readonly #config: LiveRunsConfig;
  readonly #env: Environment;
  readonly #timer: Timer;
  #last: Promise<unknown> = Promise.resolve();

  constructor(config: LiveRunsConfig, env: Environment, timer: Timer) {
    this.#config = config;
    this.#env = env;
    this.#timer = timer;
  }

  /** Throws `config_read_only` if the configuration came from a URL. */
  requireWritable(): void {
    if (this.#config.current().readOnly)
      throw new ServiceError('config_read_only', 'the configuration came from a URL; change the project there');
  }

  /** Throws `invalid_project`, `project_exists`, `storage_failed` (run-queue decisions, sections 2.6 and 3). */
  async add(project: object): Promise<ProjectConfig> {
    const { id } = this.#requireValid(project);
    return this.#change(({ config, text }) => {
      if (find(config, id) !== undefined) throw new ServiceError('project_exists', `project ${id} exists`);
      return editProjects(text, { add: withoutDefaults(project) });
    }, id);
  }

  /** Throws `invalid_project`, `project_not_found`, `storage_failed`. */
  async replace(id: string, project: object): Promise<ProjectConfig> {
    const whole = { id, ...project };
    this.#requireValid(whole);
    return this.#change(({ config, text }) => {
      requireFound(config, id);
      return editProjects(text, { id, replaceBy: withoutDefaults(whole) });
    }, id);
  }

  /**
   * Throws `project_not_found`, `storage_failed`, and `conflict` if other parts of the configuration name the project.
   */
  async remove(id: string): Promise<void> {
    this.requireWritable();
    await this.#change(({ config, text }) => {
      requireFound(config, id);
      const without = editProjects(text, { id, remove: true });
      const problems = problemsOf(without);
      if (problems.length > 0)
        throw new ServiceError('conflict',
          `project ${id} is still named elsewhere in the configuration: ${problems.join('; ')}`);
      return without;
    }, id);
  }

  #requireValid(project: object): ProjectConfig {
    this.requireWritable();
    const parsed = parseProject(project);
    if (parsed.project === undefined) throw invalid(parsed.problems);
    return parsed.project;
  }

  /** Returns the project after the change; a removed project has none. */
  #change(edit: (before: LoadedRunsConfig & { readonly text: string }) => string, id: string): Promise<ProjectConfig> {
    const changing = this.#last.then(() => this.#changeLocked(edit, id));
    this.#last = changing.catch(() => undefined);
    return changing;
  }

  async #changeLocked(edit: (before: LoadedRunsConfig & { readonly text: string }) => string,
    id: string): Promise<ProjectConfig>
  {
    const lock = await this.#lock();
    try {
      const text = edit(await this.#upToDate());
      const problems = problemsOf(text);
      // Any problem of the file was caused by the project, because the rest was valid before.
      if (problems.length > 0) throw invalid(problems.map((problem) => problem.replace(/^projects\[\d+\]\./, '')));
      await this.#write(text);
      return find(this.#config.current().config, id)!;
    } finally {
      lock.release();
    }
  }

  async #lock(): Promise<FileLock> {
    const { source } = this.#config.current();
    for (let tries = 1;; tries++) {
      try {
        return FileLock.take(source);
      } catch (cause) {
        if (tries === LOCK_TRIES) throw failed('is locked by another process, or its folder cannot be written', cause);
        await this.#timer.sleep(LOCK_WAIT_MS);
      }
    }
  }

  /** Loads changes that others have made to the file before anything is added to it. */
  async #upToDate(): Promise<LoadedRunsConfig & { readonly text: string }> {
    const { source } = this.#config.current();
    const text = await readFile(source, 'utf8').catch((cause: unknown) =>
      Promise.reject(failed('could not be read', cause))
    );
    if (hashOf(text) !== this.#config.current().hash) await this.#config.reload();
    const loaded = this.#config.current();
    if (hashOf(text) !== loaded.hash) throw failed('has changed and is not valid now; correct it first');
    return { ...loaded, text };
  }

  async #write(text: string): Promise<void> {
    const { source, folder } = this.#config.current();
    try {
      await replaceFile(source, text);
    } catch (cause) {
      throw failed('could not be written', cause);
    }
    this.#config.replace(await loadRunsConfig({ source, folder, env: this.#env }));
  }
}

/** Empty if the text is a valid configuration. */
function problemsOf(text: string): readonly string[] {
  try {
    parseRunsConfig(text);
    return [];
  } catch (error) {
    if (error instanceof RunsConfigError) return error.problems;
    throw error;
  }
}

const find = ({ projects }: RunsConfig, id: string): ProjectConfig | undefined =>
  projects.find((project) => project.id === id);

function requireFound(config: RunsConfig, id: string): void {
  if (find(config, id) === undefined) throw new ServiceError('project_not_found', `there is no project ${id}`);
}

/** Requests contain all defaults, which need no lines in the file. */
function withoutDefaults(project: object): object {
  const { id, repository, ...rest } = project as Record<string, unknown>;
  const defaults = parseProject({ id, repository }).project as unknown as Record<string, unknown>;
  return {
    id,
    repository,
    ...Object.fromEntries(
      Object.entries(rest).filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[name])),
    ),
  };
}

function invalid(problems: readonly string[]): ServiceError {
  return new ServiceError('invalid_project', problems.join('; '));
}

function failed(what: string, cause?: unknown): ServiceError {
  return new ServiceError('storage_failed', `the configuration file ${what}`, cause === undefined ? {} : { cause });
}

/** Error codes of a file that another one cannot replace: it is a mount point, as in containers. */
const NOT_REPLACEABLE = new Set(['EBUSY', 'EXDEV', 'EPERM']);

interface ReplaceOptions {
  /** For tests. */
  readonly rename?: typeof durableRename;
}

/**
 * Replaces the content of a file in one step; mode and owner stay, and a link stays a link. After a crash the file has
 * the old content or the new. If the file cannot be replaced, it is copied to `<file>.bak` and written in place.
 */
export async function replaceFile(path: string, content: string,
  { rename = durableRename }: ReplaceOptions = {}): Promise<void>
{
  const file = await realpath(path);
  const fresh = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  const { mode, uid, gid } = await stat(file);
  try {
    await writeFile(fresh, content, { mode: mode & 0o777, flag: 'wx' });
    await chown(fresh, uid, gid).catch(() => undefined); // only root may change the owner of a file
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    if (!NOT_REPLACEABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await writeInPlace(file, content);
  }
}

async function writeInPlace(file: string, content: string): Promise<void> {
  await copyFile(file, `${file}.bak`);
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(0);
    await handle.write(content, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
