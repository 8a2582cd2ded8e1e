import { chmodSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Assignment, Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Clock, systemTimer, type Timer } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { runAiText } from './ai-text/run-ai-text.ts';
import type { ExecutorContext, Work } from './context.ts';
import { runDiagnostic } from './diagnostic.ts';
import { failed } from './failure.ts';
import { KeptStore } from './kept-store.ts';
import { Masker } from './mask/masker.ts';
import { isSecretName } from './mask/secret-patterns.ts';
import { RunOutput } from './output/run-output.ts';
import { runPipeline } from './pipeline/run-pipeline.ts';
import { clearAbandonedWork } from './pipeline/work-folder.ts';
import type { Executor, Fence, OutputSink, WorkControl, WorkResult } from './port.ts';
import { closedAbove, type Machine, Sandboxes, type SandboxName, thisMachine, type Variables, type View,
  viewOf } from './sandbox/index.ts';
import { DEFAULT_USER_IDS, type UserIdRange, UserIds } from './users.ts';
import { WorkLimits } from './work-limits.ts';

/** All values of an attempt to mask: its secrets, and the keys of this machine that it uses. */
function secretsOf({ env, secrets, plan }: Assignment, machine: Variables): string[] {
  const commands = plan.case === 'pipeline' ? [...plan.value.steps, ...plan.value.services] : [];
  const named = [env, ...commands.map((command) => command.env)].flatMap((variables) =>
    Object.entries(variables).filter(([name]) => isSecretName(name))
  );
  const keys = plan.case === 'aiText'
    ? [plan.value.apiKeyEnv]
    : plan.case === 'diagnostic'
    ? plan.value.roles.map(({ apiKeyEnv }) => apiKeyEnv)
    : [];
  const addresses = plan.case === 'pipeline' || plan.case === 'diagnostic' ? [plan.value.gitUrl] : [];
  const credentials = (plan.case === 'pipeline' || plan.case === 'diagnostic') && plan.value.credentials !== undefined
    ? [plan.value.credentials.password, plan.value.credentials.password.trim(), plan.value.credentials.sshKey]
    : [];
  return [...Object.values(secrets), ...credentials, ...named.map(([, value]) => value),
    ...keys.map((name) => machine[name] ?? ''), ...addresses.flatMap(passwordOf)];
}

/**
 * Git repeats the address of a repository in its messages. The part before the host is a password, or a token in the
 * place of a user name.
 */
function passwordOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, protocol } = new URL(address);
  const secret = password !== '' ? password : /^https?:$/.test(protocol) ? username : '';
  return [secret, decoded(secret)];
}

/** Percent signs without a meaning are not changed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** How long the log may take for its last lines after the work has ended. */
const LAST_LINES_MS = 5_000;

export interface ExecutorOptions {
  /** Contains a folder for each attempt of a pipeline. Created if it is missing, and owned by the executor. */
  readonly workDir: string;
  /** The sandbox of pipelines that select `inherit`; `auto` is the strongest one that works here. */
  readonly sandbox: string;
  /**
   * The users as whom steps run. `separate`: never as the user of this process without a sandbox: as root, each run has
   * a user id of its own; otherwise steps run in a sandbox. `self` and `root` allow by name that they run as this
   * process's own user.
   */
  readonly runAs?: RunAs;
  /** User ids for `separate`, as root. */
  readonly userIds?: UserIdRange;
  /** Folders and files that steps in a sandbox do not see, besides the work of other runs. */
  readonly hide?: readonly string[];
  /** The environment of this machine; steps see only its PATH and LANG. */
  readonly env: Variables;
  readonly clock: Clock;
  /** Timer for the pauses of retries; default: the system's. */
  readonly timer?: Timer;
  /** Keeps the folders of attempts after they end. */
  readonly keepWork?: boolean;
  readonly log: Log;
  /** Version of this build. */
  readonly version: string;
  /** How far the server's clock is ahead of this machine's; undefined until that is known. */
  readonly serverOffsetMs?: () => number | undefined;
  /**
   * Folder for clones of repositories and caches of steps, and their size limit in bytes; without it nothing is kept.
   */
  readonly keep?: { readonly folder: string; readonly limit: number };
  /** Transports that git may use. Default: https, http and ssh. */
  readonly gitProtocols?: readonly string[];
}

export type RunAs = 'separate' | 'self' | 'root';

/**
 * Executes assignments on this machine (decisions, section 5). Throws a readable reason if steps cannot run as
 * configured.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const context = contextOf(options);
  // Work that a dead process has left is removed before new work starts.
  const cleared = context.keepWork ? Promise.resolve() : clearAbandonedWork(context).catch((error: unknown) => {
    context.log.warn({ err: error, folder: context.workDir }, 'abandoned work cannot be removed');
  });
  const fence = fenceOf(context);
  const ready = Promise.all([cleared, fence, context.kept.open()]).then(() => undefined);
  const active = new Set<string>();
  return {
    kinds: ['diagnostic', 'pipeline', 'ai_text'],
    ready,
    fence,
    refuses: (assignment) => refusal(context, assignment),
    execute: async (assignment, sink, control) => {
      const name = `${assignment.ref?.runId}.${assignment.ref?.attempt}`;
      if (active.has(name))
        return failed({ code: 'ship_error', message: 'the ship works on this attempt already' }, new Masker([]));
      active.add(name);
      await ready;
      return execute(context, assignment, sink, control).finally(() => active.delete(name));
    },
  };
}

function contextOf(options: ExecutorOptions): ExecutorContext {
  const { env, log, sandbox, clock, version, keepWork = false, timer = systemTimer, serverOffsetMs,
    gitProtocols = ['https', 'http', 'ssh'], hide = [] } = options;
  makeFolder(resolve(options.workDir), 0o700);
  const workDir = realpathSync(options.workDir);
  const machine = thisMachine(env);
  if (machine.root) chmodSync(workDir, 0o711); // users of steps traverse this folder; the folders in it are closed
  const users = usersOf(options, machine);
  const view = (): View =>
    viewOf({ workDir, hide, home: machine.root ? undefined : env['HOME'], otherUser: users !== undefined });
  const sandboxes = new Sandboxes({
    machine,
    workDir,
    view,
    user: users?.example,
    mayShareUser: (options.runAs ?? 'separate') !== 'separate',
    closed: users === undefined ? undefined : closedAbove(workDir)[0],
  });
  const kept = new KeptStore({ folder: options.keep?.folder ?? '', limit: options.keep?.limit ?? 0, log });
  return {
    kept,
    workDir,
    sandbox,
    sandboxes,
    users,
    view,
    env,
    clock,
    timer,
    keepWork,
    log,
    version,
    serverOffsetMs,
    gitProtocols,
  };
}

/** As root the user must be named, so that a configuration for another user does not run steps as root by accident. */
function usersOf({ runAs = 'separate', userIds = DEFAULT_USER_IDS, log }: ExecutorOptions, { root }: Machine): UserIds
  | undefined
{
  if (runAs === 'self' && root)
    throw new ConfigError([
      'run_as: self would run steps as root, because this process is root: use separate, or say root',
    ]);
  if (runAs === 'root' && !root)
    throw new ConfigError(['run_as: root is not possible, because this process is not root: use separate or self']);
  return root && runAs === 'separate' ? new UserIds(userIds, log) : undefined;
}

/** The isolation of steps in pipelines that request no other one; logged once. */
async function fenceOf({ sandbox, sandboxes, users, log }: ExecutorContext): Promise<Fence> {
  const chosen = await sandboxes.choose(sandbox);
  if ('reason' in chosen) {
    log.warn({ sandbox }, `pipelines are refused as unsupported: ${chosen.reason}`);
    return { reason: chosen.reason, isClosedOff: sandboxes.isClosedOff(sandbox) };
  }
  const who = users === undefined ? "as this process's own user" : 'each run as a user of its own';
  log.info({ sandbox: chosen.name, steps: who }, `the sandbox of steps is ${chosen.name}: ${PROTECTS[chosen.name]}`);
  return { sandbox: chosen.name };
}

const PROTECTS: Readonly<Record<SandboxName, string>> = {
  bubblewrap: "steps see no other processes and none of the service's files, and write to their own folder alone",
  namespaces: "steps see no other processes and none of the service's files, and write to their own folder alone",
  container: 'steps see what their image holds, and their own folder',
  systemd: 'steps are counted and killed together, and see what their user may',
  none: 'steps see what their user may',
};

function refusal({ sandboxes, sandbox, env }: ExecutorContext, { plan }: Assignment): string | undefined {
  switch (plan.case) {
    case 'pipeline': {
      const asked = plan.value.sandbox;
      return sandboxes.lacks(asked === 'inherit' || asked === '' ? sandbox : asked);
    }
    case 'aiText': {
      const name = plan.value.apiKeyEnv;
      return name !== '' && !env[name] ? `the variable ${name} is not set` : undefined;
    }
    case 'diagnostic':
      return undefined;
    default:
      return 'the kind of work is unknown';
  }
}

async function execute(context: ExecutorContext, assignment: Assignment, sink: OutputSink,
  control: WorkControl): Promise<WorkResult>
{
  const masker = new Masker(secretsOf(assignment, context.env), Object.keys(assignment.secrets));
  const output = new RunOutput({ limits: assignment.limits, masker, sink, clock: context.clock });
  const limits = new WorkLimits({
    timeoutMs: Number(assignment.timeoutMs),
    graceMs: Number(assignment.cancelGraceMs),
    alwaysGraceMs: Number(assignment.alwaysGraceMs),
  }, control);
  const closing = closeWhenOver(output, limits, control);
  let begun = false;
  const started = (): void => {
    if (!begun) control.started();
    begun = true;
  };
  try {
    const result = await run(context, {
      assignment,
      ref: assignment.ref!,
      output,
      masker,
      limits,
      started,
      sourceFound: (gitRef, commit) => control.sourceFound?.(gitRef, commit),
      keepArtifact: async (file,
        signal) => (control.keepArtifact === undefined ? 'nobody keeps any here' : control.keepArtifact(file, signal)),
      restoreArtifacts: async (receive, signal) => (control.restoreArtifacts === undefined
        ? 'nobody sends any here'
        : control.restoreArtifacts(receive, signal)),
      fetchCache: async (
        ...args
      ) => (control.fetchCache === undefined ? 'nobody sends any here' : control.fetchCache(...args)),
      keepCache: async (
        ...args
      ) => (control.keepCache === undefined ? 'nobody keeps any here' : control.keepCache(...args)),
      discardCache: async (...args) =>
        control.discardCache?.(...args),
    });
    if (output.failure !== undefined && !limits.killed) throw output.failure.error;
    return limits.killed ? { outcome: Outcome.CANCELLED } : result;
  } catch (error) {
    context.log.error({ err: error, run: assignment.ref?.runId }, 'a run cannot be executed');
    return failed({
      code: 'ship_error',
      message: `the ship cannot execute the run: ${error instanceof Error ? error.message : String(error)}`,
    }, masker);
  } finally {
    limits.clear();
    closing.abort();
  }
}

/**
 * After a kill the log is not read any more. After the grace it gets a moment for its last lines, so that a log that
 * hangs blocks nothing.
 */
function closeWhenOver(output: RunOutput, limits: WorkLimits, control: WorkControl): AbortController {
  const done = new AbortController();
  const options = { once: true, signal: done.signal } as const;
  const close = (): void => output.close();
  const closeSoon = (): void => {
    const timer = setTimeout(close, LAST_LINES_MS);
    done.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  if (control.kill.aborted) close();
  else control.kill.addEventListener('abort', close, options);
  limits.alwaysOver.addEventListener('abort', closeSoon, options);
  return done;
}

async function run(context: ExecutorContext, work: Work): Promise<WorkResult> {
  const { plan } = work.assignment;
  switch (plan.case) {
    case 'pipeline':
      return runPipeline(context, work, plan.value);
    case 'aiText':
      return runAiText(context, work, plan.value);
    case 'diagnostic':
      return runDiagnostic(context, work, plan.value);
    default:
      throw new Error('the kind of work is unknown');
  }
}
