import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import type { HealthCheck, Service } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { marksOf } from '../context.ts';
import type { OutputWriter } from '../output/run-output.ts';
import type { ProcessPlan } from '../process/run-process.ts';
import type { Containers } from '../sandbox/index.ts';
import { inDefaultShell } from './default-shell.ts';
import { prepare, type StepSetting } from './run-step.ts';
import { howEnded } from './side-work.ts';
import type { ServicePlace } from './step-environment.ts';

/** A service that is checked. */
export interface CheckedService {
  readonly service: Service;
  readonly place: ServicePlace;
  /** Unique in its attempt. */
  readonly unit: string;
  /** Its container, if it runs in one; the address of that is the place to check. */
  readonly container?: { readonly name: string; readonly engine: Containers } | undefined;
}

/** Returns why a service is not ready, or undefined if it is. Ends at once when the signal aborts. */
export async function checkHealth(setting: StepSetting, checked: CheckedService, address: string, check: HealthCheck,
  ended: AbortSignal): Promise<string | undefined>
{
  const timeout = AbortSignal.timeout(Number(check.timeoutMs));
  const signal = AbortSignal.any([timeout, ended]);
  const { port } = checked.place;
  // An empty host would be this machine.
  if (address === '' && (check.http !== '' || check.tcp))
    return 'the container engine names no address of its container, so only a command can check it';
  const problem = check.http !== ''
    ? await byRequest(address, port, check.http, signal)
    : check.tcp
    ? await byConnection(address, port, signal)
    : await byCommand(setting, checked, check, signal);
  return problem !== undefined && timeout.aborted ? `${problem} within ${Number(check.timeoutMs) / 1000} s` : problem;
}

async function byConnection(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal });
    return undefined;
  } catch {
    return `it accepts no connection on ${host}:${port}`;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/**
 * Nothing of the response is shown, and no redirect is followed. Steps share the loopback interface with this process,
 * so it reaches nothing that they do not.
 */
async function byRequest(host: string, port: number, path: string, signal: AbortSignal): Promise<string | undefined> {
  const agent = new Agent();
  const url = `http://${host}:${port}${path}`;
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent, signal });
    body.on('error', () => undefined).destroy();
    return statusCode >= 200 && statusCode < 400 ? undefined : `${url} answers ${statusCode}`;
  } catch {
    return `${url} does not answer`;
  } finally {
    await agent.destroy();
  }
}

/** Most characters of a check's output that an error repeats. */
const SHOWN = 300;

async function byCommand(setting: StepSetting, { service, unit, container }: CheckedService, check: HealthCheck,
  signal: AbortSignal): Promise<string | undefined>
{
  const { living, work: { ref, limits, masker }, context, sandbox } = setting;
  const name = `health-${unit}`;
  let shown = '';
  // Masked before it is cut: a part of a secret is not found.
  const tail = (): OutputWriter => {
    const stream = masker.stream();
    const add = (text: Buffer): void => void (shown = `${shown}${text.toString()}`.slice(-SHOWN));
    return {
      write: async (chunk) => add(stream.push(chunk)),
      flush: async () => undefined,
      end: async () => add(stream.end()),
    };
  };
  let plan: Pick<ProcessPlan, 'argv' | 'env' | 'cwd'>;
  if (container !== undefined) {
    const { argv, env } = container.engine.inside(container.name,
      check.argv.length > 0 ? check.argv : await inDefaultShell(check.script, sandbox, context.env['PATH'] ?? ''));
    plan = { argv, cwd: '/', env: { ...env, ...Object.fromEntries(marksOf(ref).map((mark) => mark.split('='))) } };
  } else {
    const { argv, script } = check;
    const prepared = await prepare(setting, { ...service, argv, script }, { title: 'its check', unit: name });
    if ('code' in prepared) return prepared.message;
    plan = prepared.process;
  }
  const end = await living.run({ variable: 'QUIRE_TOOL', name }, {
    ...plan,
    env: { ...plan.env, QUIRE_TOOL: name },
    marks: marksOf(ref),
    ownUser: setting.user?.uid,
    stdout: tail(),
    stderr: tail(),
  }, { stop: signal, kill: signal, graceMs: () => 0, leaseLeft: limits.leaseLeft });
  if (end.spawnError !== undefined) return `its check can't start: ${end.spawnError}`;
  if (end.exitCode === 0) return undefined;
  return signal.aborted
    ? 'its check did not end'
    : `its check ${howEnded(end)}${shown.trim() === '' ? '' : `: ${shown.trim()}`}`;
}
