import type { PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { labelOf } from '../context.ts';
import type { Failure } from '../failure.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import type { SandboxName } from '../sandbox/index.ts';
import { releasePorts, takePorts } from './free-ports.ts';
import { type CheckedService, checkHealth } from './health.ts';
import { prepare, type StepSetting, unitName } from './run-step.ts';
import { howEnded, type SideWork } from './side-work.ts';
import type { ServicePlace } from './step-environment.ts';

/** In a network of their own, containers may have any ports. */
const FIRST_PORT = 20_000;

/** Where the services of a run will be. The ports must be released by `leave`. */
async function placesOf({ services }: PipelinePlan, sandbox: SandboxName): Promise<ServicePlace[]> {
  if (sandbox === 'container')
    return services.map(({ name, port }, at) => ({ name, host: name, port: port || FIRST_PORT + at }));
  const free = await takePorts(services.filter(({ port }) => port === 0).length);
  return services.map(({ name, port }) => ({ name, host: '127.0.0.1', port: port || free.pop()! }));
}

/** What the services of an attempt need before they start. */
export interface ServiceGround {
  readonly services: readonly ServicePlace[];
  readonly network?: string;
  /** Gives back ports, and removes the network. Never rejects. */
  leave(): Promise<void>;
}

/** Chooses the places of the services, and creates the network of containers; returns what went wrong. */
export async function prepareServices(setting: StepSetting): Promise<ServiceGround | Failure> {
  const { plan, sandbox, work, context: { sandboxes, log } } = setting;
  if (plan.services.length === 0) return { services: [], leave: async () => undefined };
  const services = await placesOf(plan, sandbox);
  const chosen = services.filter((_, at) => plan.services[at]!.port === 0);
  const leave = async (): Promise<void> => releasePorts(chosen.map(({ port }) => port));
  const engine = sandbox === 'container' ? sandboxes.containers() : undefined;
  if (engine === undefined) return { services, leave };
  const network = unitName(work.ref, 'network');
  try {
    await engine.createNetwork(network, labelOf(work.ref));
  } catch (error) {
    await leave();
    return {
      code: 'ship_error',
      message: `the network of the services cannot be created: ${(error as Error).message}`,
    };
  }
  return {
    services,
    network,
    leave: () =>
      engine.removeNetwork(network).catch((err: unknown) => {
        log.error({ err, run: work.ref.runId }, 'the network of a run cannot be removed');
      }),
  };
}

/**
 * Starts the services, all at once, and waits until all are ready; returns what went wrong. `stopped`: the work had to
 * end. They go on until the side work ends.
 */
export async function startServices(setting: StepSetting, side: SideWork): Promise<Failure | 'stopped' | undefined> {
  const { plan: { services }, sandbox, context: { sandboxes }, work } = setting;
  if (services.length === 0) return undefined;
  work.started();
  const engine = sandbox === 'container' ? sandboxes.containers() : undefined;
  const problems = await Promise.all(services.map((service, at) =>
    startService(setting, side, {
      service,
      place: setting.services[at]!,
      unit: `service-${at}`,
      container: engine && { name: unitName(work.ref, `service-${at}`), engine },
    })
  ));
  return problems.find((problem) => typeof problem === 'object') ?? problems.find((problem) => problem !== undefined);
}

async function startService(setting: StepSetting, side: SideWork,
  checked: CheckedService): Promise<Failure | 'stopped' | undefined>
{
  const { context: { clock }, work: { output }, sandbox } = setting;
  const { service, place, unit } = checked;
  const { name } = service;
  if (sandbox !== 'container' && service.argv.length === 0 && service.script === '')
    return {
      code: 'spawn_failed',
      step: name,
      message:
        `the service ${name} can't start: it is what an image starts, and the sandbox of this ship is ${sandbox}`,
    };
  const title = `the service ${name}`;
  const prepared = await prepare(setting, service, { title, unit, alias: name });
  if ('code' in prepared) return prepared;
  const startedMs = clock.now();
  const over = new AbortController();
  let ended: ProcessEnd | undefined;
  void output.stepIs('running', name, `service ${name} begins`);
  const failed = await side.start(setting, prepared, async (end) => {
    ended = end;
    over.abort();
    await sayEnd(setting, side, name, end);
  });
  if (failed !== undefined) return prepared.failureOf(failed);
  const problem = await becomesReady(setting, checked, over.signal);
  if (problem === undefined) {
    const seconds = ((clock.now() - startedMs) / 1000).toFixed(1);
    await output.note('info', `service ${name} is ready after ${seconds} s, at ${place.host}:${place.port}`, name);
    return undefined;
  }
  if (problem === 'stopped') return problem;
  output.keep(name);
  const { exitCode = null, signal = null } = ended ?? {};
  const why = ended === undefined ? problem : `it ${howEnded(ended)}`;
  return { code: 'step_failed', step: name, exitCode, signal, message: `${title} is not ready: ${why}` };
}

async function sayEnd(setting: StepSetting, side: SideWork, name: string, end: ProcessEnd): Promise<void> {
  const { output } = setting.work;
  if (side.isOver(setting, end)) return output.stepIs('succeeded', name, `service ${name} ends with the run`);
  await output.note('warn', `the service ${name} ${howEnded(end)} before the end of the run`, name);
  await output.stepIs(end.exitCode === 0 ? 'succeeded' : 'failed', name, `service ${name} has ended`);
}

/** Checks a service until it is ready, or returns why it is not. `over` aborts when it has ended. */
async function becomesReady(setting: StepSetting, checked: CheckedService,
  over: AbortSignal): Promise<string | undefined>
{
  const { context: { timer }, work: { limits } } = setting;
  const { service: { health: check }, place, container } = checked;
  const until = AbortSignal.any([limits.ended, over]);
  for (let failures = 0; !until.aborted;) {
    const address = container === undefined ? place.host : await container.engine.addressOf(container.name);
    if (address !== undefined) {
      const problem = check && await checkHealth(setting, checked, address, check, until);
      if (problem === undefined && !until.aborted) return undefined;
      failures += 1;
      if (check !== undefined && failures > check.retries && !until.aborted)
        return `${problem} (checked ${failures} ${failures === 1 ? 'time' : 'times'})`;
    }
    await timer.sleep(Number(check?.intervalMs ?? CONTAINER_MS), until);
  }
  return limits.ended.aborted ? 'stopped' : 'it has ended';
}

/** Pauses in which a container without a check is looked for. */
const CONTAINER_MS = 200;
