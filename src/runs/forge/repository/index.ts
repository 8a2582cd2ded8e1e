import { ServiceError } from '../../../errors/index.ts';
import { Lru } from '../../../lib/caches.ts';
import { isCommit } from '../../../lib/git-ref.ts';
import type { Facts } from '../../conditions/index.ts';
import type { PipelineConfig, ProjectConfig, RunsConfig } from '../../config/index.ts';
import type { LiveConfig } from '../../environment.ts';
import type { CommitsSince, EventContext, EventContexts, FilesAt, ForgeOrigin, RepositoryReader, StartedPipeline,
  WantedPipeline } from '../port.ts';
import { changedPaths } from './changed-paths.ts';
import { commitsSince } from './commits-since.ts';
import { filesAt } from './files-at.ts';
import { GitFailure } from './git.ts';
import { Mirrors } from './mirror.ts';
import { type PipelinesAt, readPipelineFiles } from './pipeline-files.ts';
import { findRef, listRefs, type RemoteDeps, removeKeys, withGit } from './remote.ts';
import { isOnBranch, noPipeline, originOf, requireTrusted } from './started-pipeline.ts';

export { GitFailure } from './git.ts';
export type { PipelinesAt } from './pipeline-files.ts';

/** Most commits whose pipelines are remembered, and whose changed files are. */
const KEPT = 200;

/** The repositories of projects, read by git on this server. Everything rejects with a `GitFailure` if git fails. */
export class Repositories implements EventContexts, RepositoryReader {
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
   * What was committed on the default branch since the last release: the newest tag that fits `tag`, else the first of
   * `released`, commits of earlier releases from the newest on, that the branch contains. Undefined for a repository
   * without commits.
   */
  async commitsSince(project: ProjectConfig,
    { tag, released }: { readonly tag: string; readonly released: readonly string[] },
    signal?: AbortSignal): Promise<CommitsSince | undefined>
  {
    const refs = await this.refs(project, ['HEAD', ...(tag === '' ? [] : ['refs/tags/*'])], signal);
    const head = refs.get('HEAD');
    if (head === undefined) return undefined;
    return this.#mirrors.use(this.#config(), project, (mirror) => commitsSince(mirror, { head, refs, tag, released }),
      signal);
  }

  async filesFor(project: ProjectConfig, patterns: readonly string[], commit: string | undefined): Promise<FilesAt> {
    try {
      const at = commit ?? (await this.#find(project, undefined))?.commit;
      if (at === undefined) throw new GitFailure('the repository has no commits', 0);
      return await this.#mirrors.use(this.#config(), project, (mirror) => filesAt(mirror, at, 'HEAD', patterns));
    } catch (error) {
      throw unreadable(error, 'model_or_input_unavailable', `the files of the project ${project.id} cannot be read`);
    }
  }

  async startedPipeline(project: ProjectConfig, wanted: WantedPipeline): Promise<StartedPipeline> {
    try {
      const origin = await this.#originOf(project, wanted);
      const { commit } = origin;
      const { pipelines, rejected } = await this.pipelinesAt(project, commit, origin.ref || 'HEAD');
      const found = pipelines.find(({ pipeline }) => pipeline.name === wanted.task);
      if (found === undefined) throw noPipeline(project, wanted.task, commit, { pipelines, rejected });
      const forge = { ...origin, definition: { commit, file: found.file } };
      return { forge, pipeline: found.pipeline, facts: this.factsOf(project, forge) };
    } catch (error) {
      throw unreadable(error, 'pipeline_unavailable', `the repository of the project ${project.id} cannot be read`);
    }
  }

  /** Refs of pull requests are no branches, and their commits on none: strangers may have written them. */
  async #originOf(project: ProjectConfig, { gitRef, gitCommit, event }: WantedPipeline): Promise<ForgeOrigin> {
    const asked = requireTrusted(gitRef);
    const found = asked !== undefined && isCommit(asked)
      ? await this.#onBranch(project, asked)
      : await this.#find(project, asked);
    if (found === undefined)
      throw asked === undefined
        ? new GitFailure('the repository has no commits', 0)
        : new ServiceError('invalid_input',
          `ref: the repository of the project ${project.id} has no branch or tag ${JSON.stringify(asked)}, and no ` +
            'branch with such a commit');
    return originOf(project, event, { ...found, commit: gitCommit ?? found.commit });
  }

  #find(project: ProjectConfig, ref: string | undefined): ReturnType<typeof findRef> {
    return withGit(this.#config(), project, this.#deps, (git) => findRef(git, ref));
  }

  /** A commit that a branch contains. */
  #onBranch(project: ProjectConfig, commit: string): ReturnType<typeof findRef> {
    return this.#mirrors.use(this.#config(), project, async (mirror) => {
      if (await isOnBranch(mirror, commit)) return { name: '', commit };
      await mirror.fetchBranches();
      return await isOnBranch(mirror, commit) ? { name: '', commit } : undefined;
    });
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

/** What a client is told when git fails, with the failure as its cause. */
function unreadable(error: unknown, code: 'pipeline_unavailable' | 'model_or_input_unavailable',
  what: string): unknown
{
  return error instanceof GitFailure ? new ServiceError(code, `${what}: ${error.message}`, { cause: error }) : error;
}
