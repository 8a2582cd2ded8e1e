import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assignment, AssignmentSchema, type StepSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createExecutor, type Executor, type ExecutorOptions, type OutputLine, type OutputSink, type RunAs,
  type WorkControl, type WorkResult } from '../ship/execute/index.ts';
import { livingProcesses } from '../ship/execute/process/leftovers.ts';

/** The name of this process's own user, as which steps may run. */
export const OWN_USER: RunAs = process.getuid?.() === 0 ? 'root' : 'self';

/**
 * An executor in its own folder, which `close` removes. Its steps run as this process's own user unless `runAs` says
 * otherwise. `open`: other users may pass through the folder above it.
 */
export interface ExecutorBench {
  readonly executor: Executor;
  readonly workDir: string;
  /** The current contents of the work folder. */
  left(): string[];
  close(): void;
}

export interface Running {
  readonly assignment: Assignment;
  readonly result: Promise<WorkResult>;
  /** All lines except those that say what becomes of a step. */
  readonly lines: OutputLine[];
  /** Those that say what becomes of a step. */
  readonly stepLines: OutputLine[];
  /** The lines of one stream, or of all. */
  text(stream?: OutputLine['stream']): string[];
  /** Resolves when a line contains this text. */
  saw(text: string): Promise<void>;
  stop(graceMs?: number, alwaysGraceMs?: number): void;
  kill(): void;
  readonly starts: number;
  /** Living processes of the run; undefined if that cannot be determined. */
  living(): Promise<number[]>;
}

type Fields = Partial<Extract<MessageInitShape<typeof AssignmentSchema>, { $typeName?: never }>>;
type Plan = NonNullable<Fields['plan']>;
export type StepInit = MessageInitShape<typeof StepSchema>;

export function executorBench(options: Partial<ExecutorOptions> & { readonly open?: boolean } = {}): ExecutorBench {
  const { open = false, ...given } = options;
  const root = mkdtempSync(join(tmpdir(), 'quire-executor-'));
  if (open) chmodSync(root, 0o711);
  const workDir = given.workDir ?? join(root, 'work');
  const executor = createExecutor({
    workDir,
    sandbox: 'none',
    runAs: OWN_USER,
    env: { PATH: process.env['PATH'] },
    clock: systemClock,
    log: silentLog,
    version: '0.0.0-test',
    gitProtocols: ['https', 'http', 'ssh', 'file', 'git'],
    ...given,
  });
  return {
    executor,
    workDir,
    left: () => (existsSync(workDir) ? readdirSync(workDir) : []),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function assignmentOf(plan: Plan, fields: Fields = {}): Assignment {
  return create(AssignmentSchema, {
    ref: { runId: randomBytes(16).toString('hex'), attempt: 1, fencingToken: 7n },
    projectId: 'alpha',
    repository: 'org/alpha',
    issueLabel: 'ready',
    timeoutMs: 60_000n,
    cancelGraceMs: 10_000n,
    limits: { maxLine: 16_384, maxBytes: 16n * 1024n * 1024n, maxEvents: 200_000n },
    plan,
    ...fields,
  });
}

/** The plan of a pipeline; a text is the script of a step. */
export function pipelineOf(steps: readonly (string | StepInit)[], fields: object = {}): Plan {
  const whole = steps.map((step, index) => ({
    name: `s${index + 1}`,
    timeoutMs: 30_000n,
    workingDir: '.',
    ...(typeof step === 'string' ? script(step) : step),
  }));
  return { case: 'pipeline', value: { name: 'test', checkout: 'none', sandbox: 'inherit', steps: whole, ...fields } };
}

export function script(text: string): { argv: string[] } {
  return { argv: ['/bin/sh', '-eu', '-c', text] };
}

export function start(executor: Executor, assignment: Assignment, sink?: OutputSink,
  told: Pick<WorkControl,
    'sourceFound' | 'keepArtifact' | 'restoreArtifacts' | 'fetchCache' | 'keepCache' | 'discardCache'> = {}): Running
{
  const lines: OutputLine[] = [];
  const stepLines: OutputLine[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  const [stop, kill] = [new AbortController(), new AbortController()];
  const counts = { starts: 0, graceMs: 10_000, alwaysGraceMs: 0 };
  const collect: OutputSink = {
    write: (line) => {
      (line.stepState === undefined ? lines : stepLines).push(line);
      for (const wait of waiting) if (line.message.includes(wait.text)) wait.resolve();
      return sink?.write(line);
    },
  };
  const result = executor.execute(assignment, collect, {
    stop: stop.signal,
    kill: kill.signal,
    graceMs: () => counts.graceMs,
    alwaysGraceMs: () => counts.alwaysGraceMs,
    started: () => void counts.starts++,
    ...told,
  });
  return {
    assignment,
    result,
    lines,
    stepLines,
    text: (stream) =>
      lines.filter((line) => stream === undefined || line.stream === stream).map(({ message }) => message),
    saw: (text) =>
      new Promise((
        resolve,
      ) => (lines.some(({ message }) => message.includes(text)) ? resolve() : waiting.push({ text, resolve }))),
    stop: (graceMs = 10_000, alwaysGraceMs = 0) => {
      Object.assign(counts, { graceMs, alwaysGraceMs });
      stop.abort();
    },
    kill: () => kill.abort(),
    get starts() {
      return counts.starts;
    },
    living: () => livingProcesses({ variables: [`QUIRE_RUN_ID=${assignment.ref!.runId}`] }),
  };
}
