import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/timer.ts';
import { FileLock } from '../../storage/index.ts';
import { hashOf, loadRunsConfig, parseProject, parseRunsConfig, RunsConfigError, type Environment, type LiveRunsConfig, type LoadedRunsConfig, type ProjectConfig } from '../config/index.ts';
import { appendProject } from './append-project.ts';
import { replaceFile } from './replace-file.ts';

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

/** Adds projects to the configuration file, one after the other, also beside other processes that do. */
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

  /** Throws `config_read_only` where the configuration came from a URL. */
  requireWritable(): void {
    if (this.#config.current().readOnly) throw new ServiceError('config_read_only', 'the configuration came from a URL; add the project there');
  }

  /** Throws `invalid_project`, `project_exists`, `storage_failed` (run-queue decisions, sections 2.6 and 3). */
  async add(project: object): Promise<ProjectConfig> {
    this.requireWritable();
    const parsed = parseProject(project);
    if (parsed.project === undefined) throw invalid(parsed.problems);
    const { id } = parsed.project;
    const adding = this.#last.then(() => this.#addLocked(id, project));
    this.#last = adding.catch(() => undefined);
    return adding;
  }

  async #addLocked(id: string, project: object): Promise<ProjectConfig> {
    const lock = await this.#lock();
    try {
      const before = await this.#upToDate();
      if (before.config.projects.some((other) => other.id === id)) throw new ServiceError('project_exists', `project ${id} exists`);
      const text = appendProject(before.text, project);
      requireValid(text);
      await this.#write(text);
      return this.#config.current().config.projects.find((other) => other.id === id)!;
    } finally {
      lock.release();
    }
  }

  async #lock(): Promise<FileLock> {
    const { source } = this.#config.current();
    for (let tries = 1; ; tries++) {
      try {
        return FileLock.take(source);
      } catch (cause) {
        if (tries === LOCK_TRIES) throw failed('is locked by another process, or its folder cannot be written', cause);
        await this.#timer.sleep(LOCK_WAIT_MS);
      }
    }
  }

  /** What others have written to the file counts before anything is added to it. */
  async #upToDate(): Promise<LoadedRunsConfig & { readonly text: string }> {
    const { source } = this.#config.current();
    const text = await readFile(source, 'utf8').catch((cause: unknown) => Promise.reject(failed('could not be read', cause)));
    if (hashOf(text) !== this.#config.current().hash) await this.#config.reload();
    const loaded = this.#config.current();
    if (hashOf(text) !== loaded.hash) throw failed('has changed and is not valid now; mend it first');
    return { ...loaded, text };
  }

  async #write(text: string): Promise<void> {
    const { source } = this.#config.current();
    try {
      await replaceFile(source, text);
    } catch (cause) {
      throw failed('could not be written', cause);
    }
    this.#config.replace(await loadRunsConfig({ source, env: this.#env }));
  }
}

/** What is wrong with the whole of it is wrong with the new project: the rest was valid before. */
function requireValid(text: string): void {
  try {
    parseRunsConfig(text);
  } catch (error) {
    if (error instanceof RunsConfigError) throw invalid(error.problems.map((problem) => problem.replace(/^projects\[\d+\]\./, '')));
    throw error;
  }
}

function invalid(problems: readonly string[]): ServiceError {
  return new ServiceError('invalid_project', problems.join('; '));
}

function failed(what: string, cause?: unknown): ServiceError {
  return new ServiceError('storage_failed', `the configuration file ${what}`, cause === undefined ? {} : { cause });
}
