// An executor in a separate process, so that it can run as another user and be killed: `node executor-process.ts PLAN`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Outcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ExecutorOptions } from '../ship/execute/index.ts';
import { assignmentOf, executorBench, pipelineOf, start, type StepInit } from './runs-executor.ts';

export interface ExecutorPlan {
  readonly options: Partial<Pick<ExecutorOptions, 'workDir' | 'sandbox' | 'runAs' | 'hide' | 'env'>>;
  /** In JSON, so without numbers of 64 bits. */
  readonly steps: readonly (string | StepInit)[];
  /** Further fields of the pipeline. */
  readonly plan?: object;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface ExecutorAnswer {
  readonly outcome: string;
  readonly error: string | undefined;
  readonly lines: readonly string[];
  readonly result: string | undefined;
}

/** Its steps' output so far, and how it ended. */
export class ExecutorProcess {
  readonly child: ChildProcess;
  #output = '';
  readonly #ended: Promise<unknown>;

  /** `uid`: for tests that run as root. The environment is that of a service and contains a secret. */
  constructor(plan: ExecutorPlan,
    { uid, env = {} }: { readonly uid?: number; readonly env?: Readonly<Record<string, string>> } = {})
  {
    this.child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(plan)], {
      env: { PATH: process.env['PATH'], ...env },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    this.child.stdout!.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#ended = once(this.child, 'close');
  }

  get output(): string {
    return this.#output;
  }

  async answer(): Promise<ExecutorAnswer> {
    await this.#ended;
    return JSON.parse(this.#output.split('\n').findLast((line) => line.startsWith('{'))!) as ExecutorAnswer;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { options, steps, plan, secrets = {} } = JSON.parse(process.argv[2]!) as ExecutorPlan;
  const { executor } = executorBench({ env: process.env, ...options });
  await executor.ready;
  const running = start(executor, assignmentOf(pipelineOf(steps, plan), { secrets }), {
    write: ({ message, stepState }) => void (stepState === undefined && process.stdout.write(`${message}\n`)),
  });
  const { outcome, error, result } = await running.result;
  const answer: ExecutorAnswer = {
    outcome: Outcome[outcome],
    error: error?.message,
    lines: running.text(),
    result: result && Buffer.from(result.body).toString(),
  };
  console.log(JSON.stringify(answer));
}
