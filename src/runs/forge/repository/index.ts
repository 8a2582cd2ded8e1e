import { ServiceError } from '../../../errors/index.ts';
import { Lru } from '../../../lib/caches.ts';
import type { Facts } from '../../conditions/index.ts';
import type { PipelineConfig, ProjectConfig, RunsConfig } from '../../config/index.ts';
import type { LiveConfig } from '../../environment.ts';
import type { EventContext, EventContexts, ForgeOrigin } from '../port.ts';
import { changedPaths } from './changed-paths.ts';
import { GitFailure } from './git.ts';
import { Mirrors } from './mirror.ts';
import { type PipelinesAt, readPipelineFiles } from './pipeline-files.ts';
import { listRefs, type RemoteDeps, removeKeys, withGit } from './remote.ts';

export { GitFailure } from './git.ts';
export type { PipelinesAt } from './pipeline-files.ts';

/** Most commits whose pipelines are remembered, and whose changed files are. */
const KEPT = 200;

/** The repositories of projects, read by git on this server. Everything rejects with a `GitFailure` if git fails. */
export class Repositories implements EventContexts {
  readonly #live: LiveConfig;
  readonly #deps: RemoteDeps;
  readonly #mirrors: Mirrors;
  /** By configuration, project and commit, which never change. */
  readonly #pipelines = new Lru<string, PipelinesAt>(KEPT);
  readonly #paths = new Lru<string, { readonly paths: readonly string[] | undefined }>(KEPT);

  constructor({ config, ...deps }: RemoteDeps & { readonly config: LiveConfig }) {
    this.#live = config;
    this.#deps = deps;
    this.#mirrors = new Mirrors(deps);
  }

  /** Removes what a server has left that was killed. */
  start(): Promise<void> {
    return removeKeys(this.#config());
  }

  /** The commits of branches and tags by full name, or of what `patterns` name. */
  refs(project: ProjectConfig, patterns?: readonly string[],
    signal?: AbortSignal): Promise<ReadonlyMap<string, string>>
  {
    return withGit(this.#config(), project, this.#deps, (git) => listRefs(git, patterns, signal));
  }

  /** The pipelines that a repository defines at a commit; `ref` leads to it. */
  async pipelinesAt(project: ProjectConfig, commit: string, ref: string): Promise<PipelinesAt> {
    const { config, hash } = this.#live.current();
    const key = `${hash} ${project.id} ${commit}`;
    const known = this.#pipelines.get(key);
    if (known !== undefined) return known;
    const found = await this.#mirrors.use(config, project, async (mirror) => {
      await mirror.fetch(commit, ref);
      return readPipelineFiles(mirror, commit, project, config);
    });
    this.#pipelines.set(key, found);
    return found;
  }

  /**
   * What a run for an event needs to know: its pipeline, if the repository defines that, and the facts of the event.
   * Rejects with `pipeline_unavailable` if the commit does not have the pipeline (any more).
   */
  async contextOf(projectId: string, task: string, origin: ForgeOrigin): Promise<EventContext> {
    const project = this.#config().projects.find(({ id }) => id === projectId);
    // Whoever resolves the run says that the project is unknown.
    if (project === undefined) return { pipeline: undefined, facts: this.factsOf(undefined, origin) };
    return { pipeline: await this.#pipelineOf(project, task, origin), facts: this.factsOf(project, origin) };
  }

  async #pipelineOf(project: ProjectConfig, task: string,
    { definition, ref }: ForgeOrigin): Promise<PipelineConfig | undefined>
  {
    if (definition === undefined) return undefined;
    const unavailable = (reason: string) => new ServiceError('pipeline_unavailable', reason);
    if (project.pipelines_from !== 'repository')
      throw unavailable(`the project ${project.id} takes no pipelines of its repository any more`);
    const { pipelines, rejected } = await this.pipelinesAt(project, definition.commit, ref).catch((error: unknown) => {
      throw error instanceof GitFailure ? unavailable(`its repository cannot be read: ${error.message}`) : error;
    });
    const found = pipelines.find(({ pipeline }) => pipeline.name === task)?.pipeline;
    if (found !== undefined) return found;
    const wrong = rejected.find(({ file }) => file === definition.file);
    throw unavailable(wrong?.reason ?? `${definition.file} defines no pipeline ${task} at ${definition.commit}`);
  }

  /** The facts of an event, for conditions. Changed files are read when they are asked for, once. */
  factsOf(project: ProjectConfig | undefined, origin: ForgeOrigin): Facts {
    const { event, action, branch, tag, ref, commit, title, author, labels = [], pullRequest } = origin;
    return {
      event,
      action,
      branch,
      tag,
      ref,
      commit,
      title,
      author,
      labels,
      pullRequest: pullRequest && { ...pullRequest, title },
      paths: async () => (project === undefined ? undefined : this.#pathsOf(project, origin)),
    };
  }

  async #pathsOf(project: ProjectConfig, origin: ForgeOrigin): Promise<readonly string[] | undefined> {
    const key = JSON.stringify([project.id, origin.commit, origin.before, origin.pullRequest?.base]);
    const known = this.#paths.get(key);
    if (known !== undefined) return known.paths;
    const paths = await this.#mirrors.use(this.#config(), project, (mirror) => changedPaths(mirror, origin));
    this.#paths.set(key, { paths });
    return paths;
  }

  #config(): RunsConfig {
    return this.#live.current().config;
  }
}
