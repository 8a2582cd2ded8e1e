import type { Facts } from '../conditions/index.ts';
import type { PipelineConfig, ProjectConfig } from '../config/index.ts';

export { GitFailure, isUnreachable } from './repository/git.ts';

// Times named `...At` are Unix seconds.

/** What happened; `branch_deleted` and others that start nothing are recorded, but are no events. */
export type ForgeEventName = 'push' | 'tag' | 'pull_request' | 'comment' | 'issue' | 'release' | 'manual' | 'schedule';

/** A pull request (GitLab: merge request) as an event describes it. */
export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  /** Branches; `head` is that of the fork, if it comes from one. */
  readonly base: string;
  readonly head: string;
  readonly headCommit: string;
  /** Where the commits are fetched from, such as `refs/pull/7/head`. */
  readonly headRef: string;
  readonly isFork: boolean;
  readonly labels: readonly string[];
}

/** An issue, with the label that an event is about. */
export interface ForgeIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly labels: readonly string[];
  /** Login of whoever opened it; absent where an event does not say. */
  readonly author?: string;
}

/**
 * An event of a forge in the form that all kinds share. Texts come from strangers: they are never parts of a command
 * line, only values of variables and inputs.
 */
export interface ForgeEvent {
  readonly name: ForgeEventName;
  /**
   * `pushed`; `opened`, `synchronized`, `reopened`, `closed`, `merged`, `labeled`, `unlabeled`; `created`; `published`.
   */
  readonly action: string;
  /** `owner/name`, with groups where a forge has them; empty for `git`. */
  readonly repository: string;
  /** Addresses under which the repository may be configured: https, ssh, scp-like, web. */
  readonly addresses: readonly string[];
  /** Full name, such as refs/heads/main; empty for none. */
  readonly ref: string;
  /** Branch of a push, or base of a pull request; empty for none. */
  readonly branch: string;
  readonly tag: string;
  /** Commit that runs work on; empty if the forge does not say. */
  readonly commit: string;
  /** Commit of the branch before a push; empty for none. */
  readonly before: string;
  /** First line of the commit's message, title of the pull request, or of the release. */
  readonly title: string;
  /** Login of whoever did it. */
  readonly author: string;
  /** Where people see it; empty for none. */
  readonly url: string;
  readonly pullRequest?: PullRequest;
  readonly issue?: ForgeIssue;
  /** Text of a comment. */
  readonly comment?: { readonly id: string; readonly body: string };
  /** Label that was added or removed. */
  readonly label?: string;
}

/** The value of a secret that the service itself uses, by its name; undefined if there is none. */
export type SecretReader = (name: string) => string | undefined | Promise<string | undefined>;

/** What a run keeps of the event that queued it, as a part of its origin. */
export interface ForgeOrigin {
  /** Name of the forge in the configuration. */
  readonly forge: string;
  readonly event: ForgeEventName;
  readonly action: string;
  /** Id of the delivery, as the forge gives it. */
  readonly delivery: string;
  readonly ref: string;
  readonly branch: string;
  readonly tag: string;
  readonly commit: string;
  /** Commit of the branch before a push; empty for none. */
  readonly before: string;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  /** Of the pull request; absent for none. */
  readonly labels?: readonly string[];
  readonly pullRequest?: { readonly number: number; readonly base: string; readonly head: string;
    readonly isFork: boolean };
  readonly issue?: number;
  /** Commit and file of the repository that define its pipeline; absent for a pipeline of the configuration. */
  readonly definition?: { readonly commit: string; readonly file: string };
  /** A run of strangers' code: without secrets, shared caches of others, and reserved ships. */
  readonly restricted?: true;
}

/** State of a commit for one pipeline, as forges show it. */
export interface CommitStatus {
  readonly state: 'pending' | 'running' | 'success' | 'failure' | 'error' | 'cancelled';
  /** Names the pipeline, such as `quire/test`; one commit has one status for each. */
  readonly context: string;
  /** At most 140 characters. */
  readonly description: string;
  /** Of the run. */
  readonly targetUrl: string;
}

/** A place in a file that a check points at. */
export interface Annotation {
  readonly path: string;
  readonly line: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

export type Permission = 'none' | 'read' | 'write' | 'admin';

/** Issues and pull requests have numbers of their own on some forges. */
export interface Thread {
  readonly on: 'issue' | 'pull_request';
  readonly number: number;
}

/** A comment; `author` is a login. */
export interface ForgeComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
}

/** Open issues with a label; `etag` is for the next request, empty if the forge gives none. */
export interface LabelledIssues {
  readonly etag: string;
  /** At most 100. */
  readonly issues: readonly ForgeIssue[];
}

/** What a status has besides itself, for forges that show more. */
export interface StatusDetails {
  /** Markdown, at most 65,535 characters; empty for none. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

/**
 * The API of a forge. Repositories are `owner/name`. Calls reject with `ForgeError`, which says whether trying again
 * can help.
 */
export interface ForgeApi {
  /** Replaces the status of the same context. */
  setStatus(repository: string, commit: string, status: CommitStatus, details: StatusDetails): Promise<void>;
  /** Creates a comment, or replaces the text of the comment `id`; returns its id. */
  putComment(repository: string, thread: Thread, body: string, id: string | undefined): Promise<string>;
  /** Id of the oldest comment that contains this text, among the first 1,000. */
  findComment(repository: string, thread: Thread, text: string): Promise<string | undefined>;
  addLabel(repository: string, number: number, label: string): Promise<void>;
  /** Also resolves if the issue does not have the label. */
  removeLabel(repository: string, number: number, label: string): Promise<void>;
  issue(repository: string, number: number): Promise<ForgeIssue>;
  /** Undefined if nothing has changed since the request that returned `etag`. */
  issuesWith(repository: string, label: string, etag: string): Promise<LabelledIssues | undefined>;
  /** Oldest first, at most 100. */
  comments(repository: string, thread: Thread): Promise<ForgeComment[]>;
  pullRequest(repository: string, number: number): Promise<PullRequest>;
  /** Of a login; `none` for whoever the forge does not know. */
  permissionOf(repository: string, login: string): Promise<Permission>;
}

/** A failed call; `retryAfterMs` is what the forge asks for, 0 for none. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  /** Of the response; 0 for none. */
  readonly status: number;
  readonly isLasting: boolean;
  readonly retryAfterMs: number;

  constructor(message: string,
    { status = 0, isLasting, retryAfterMs = 0 }: { readonly status?: number; readonly isLasting: boolean;
      readonly retryAfterMs?: number })
  {
    super(message);
    this.status = status;
    this.isLasting = isLasting;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A request to the API of a forge; `path` is relative to the address of the API and begins with a slash. */
export interface ForgeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** `json` is undefined for a body that is none. Names of headers are in lowercase. */
export interface ForgeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly json: unknown;
}

/** Adds the address, time limits and the size limit of responses; resolves for every status. */
export type ForgeCall = (request: ForgeRequest) => Promise<ForgeAnswer>;

/** A delivery as it arrives. Names of headers are in lowercase. */
export interface RawDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** How deliveries of one kind of forge are read. */
export interface Receiver {
  /** Compares in constant time; false for a missing signature. `now`: Unix seconds. */
  isAuthentic(delivery: RawDelivery, secret: string, now: number): Promise<boolean>;
  /** Id that the forge gives to the delivery, the same when it is sent again; empty if it gives none. */
  idOf(headers: RawDelivery['headers']): string;
  /** What the forge calls the event; empty if it does not say. */
  nameOf(headers: RawDelivery['headers']): string;
  /**
   * The events of a delivery, in order: none if it starts nothing. Throws `invalid_input` for a payload that is not of
   * such a form.
   */
  parse(headers: RawDelivery['headers'], payload: unknown): readonly ForgeEvent[];
}

/** The APIs of the forges of the configuration. */
export interface ForgeApis {
  /**
   * Undefined if no forge has this name, or if it has no API or no token. The same object until the configuration of
   * the forge changes.
   */
  apiOf(forge: string): ForgeApi | undefined | Promise<ForgeApi | undefined>;
}

/** What a run for an event needs to know of its repository. */
export interface EventContext {
  /** The pipeline that the repository defines; undefined for one of the configuration. */
  readonly pipeline: PipelineConfig | undefined;
  readonly facts: Facts;
}

/** Pipelines of repositories, and facts of events. */
export interface EventContexts {
  /** Rejects with `pipeline_unavailable` if the commit does not define the pipeline (any more). */
  contextOf(projectId: string, task: string, origin: ForgeOrigin): Promise<EventContext>;
}

/** A pipeline of a repository that somebody or a schedule starts. */
export interface StartedPipeline extends EventContext {
  readonly pipeline: PipelineConfig;
  /** What the run keeps of where it comes from. */
  readonly forge: ForgeOrigin;
}

/** What somebody or a schedule starts. */
export interface WantedPipeline {
  readonly task: string;
  /** Branch, tag, or commit of a branch; undefined for the default branch. */
  readonly gitRef: string | undefined;
  /** The commit, if it is known already; `gitRef` leads to it. */
  readonly gitCommit: string | undefined;
  readonly event: 'manual' | 'schedule';
}

/** A commit of a list; `date` is that of the author, in ISO 8601. */
export interface ListedCommit {
  readonly commit: string;
  readonly author: string;
  readonly date: string;
  /** First line of its message. */
  readonly subject: string;
}

/** What was committed since a release. */
export interface CommitsSince {
  /** The tag of the release; null if none is known. */
  readonly previousTag: string | null;
  /** The commit of the release; null for a repository without one. */
  readonly previousCommit: string | null;
  /** The newest commit of the default branch. */
  readonly head: string;
  /** The newest first, at most 200. */
  readonly commits: readonly ListedCommit[];
  /** How many older ones are left out. */
  readonly truncated: number;
}

/** Files of a repository at a commit, in the order of their paths. */
export interface FilesAt {
  readonly commit: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files that fit the patterns and are left out, with a reason such as `a link`; at most 100. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** How many more are left out. */
  readonly furtherLeftOut: number;
}

/** Pipelines and files of repositories, for runs that are resolved. */
export interface RepositoryReader {
  /**
   * The pipeline of this name at a branch, a tag or a commit of the repository itself. Rejects with `invalid_input` for
   * a ref that it does not have, and `pipeline_unavailable` if there is no such pipeline or no mirror.
   */
  startedPipeline(project: ProjectConfig, wanted: WantedPipeline): Promise<StartedPipeline>;
  /**
   * The files that fit patterns, at a commit or else at that of the default branch. Rejects with
   * `model_or_input_unavailable` if they cannot be read.
   */
  filesFor(project: ProjectConfig, patterns: readonly string[], commit: string | undefined): Promise<FilesAt>;
}

/** An event of a project, as listeners get it. */
export interface ProjectEvent {
  readonly project: ProjectConfig;
  /** Name of the forge; empty for a project that is polled and names none. */
  readonly forge: string;
  readonly event: ForgeEvent;
  /** Id of the delivery in the store of this service. */
  readonly deliveryId: string;
}

/** A pipeline that an event would have started, had it not been wrong. */
export interface Rejection extends ProjectEvent {
  /** Name of the pipeline or of its file. */
  readonly pipeline: string;
  readonly reason: string;
}

/**
 * The events of forges. Listeners are called once an event is processed, before it is recorded as done: after a crash
 * they are called for it again, and a rejection of a listener makes the event be processed again.
 */
export interface ForgeEvents {
  onEvent(listener: (event: ProjectEvent) => Promise<void>): void;
  onRejected(listener: (rejection: Rejection) => Promise<void>): void;
}
