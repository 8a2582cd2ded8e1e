// The program of a worker: `WorkerSupervisor` starts it, and controls it over the channel between the processes.
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../logging/index.ts';
import { closeMemory } from '../secrecy/index.ts';
import { unpackSettings } from '../settings/index.ts';
import { startTracing } from '../tracing/index.ts';
import type { ToPrimary, ToWorker } from './messages.ts';
import { type RunningWorker, startWorker } from './worker.ts';

// A worker never outlives its primary, and stops when the primary says so. Signals are ignored, because the terminal
// sends them to both.
process.on('disconnect', () => process.exit(1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

let worker: Promise<RunningWorker> | undefined;

const say = (message: ToPrimary): void =>
  void (process.connected && process.send!(message, undefined, undefined, () => undefined));

process.on('message', (message: ToWorker, socket) => {
  if (message.type === 'start') worker = start(message);
  else if (message.type === 'stop')
    void worker?.then(async (running) => {
      await running.stop(message.graceMs);
      process.exit(0);
    });
  else void worker?.then((running) => running.receive(message, socket));
});

async function start(message: Extract<ToWorker, { type: 'start' }>): Promise<RunningWorker> {
  try {
    await closeMemory();
    const settings = unpackSettings(message.settings);
    const log = createLog(settings.log).child({ worker: message.worker });
    const end = await startTracing(message.traces, log);
    const running = await startWorker({ settings, socket: message.socket, log, clock: systemClock, say });
    return {
      receive: (primary, socket) => running.receive(primary, socket),
      stop: (graceMs) => running.stop(graceMs).finally(end),
    };
  } catch (error) {
    // The primary logs the failure, and tries again later.
    process.send!({ type: 'failed', reason: (error as Error).message } satisfies ToPrimary, undefined, undefined, () =>
      process.exit(1));
    return new Promise(() => undefined);
  }
}
