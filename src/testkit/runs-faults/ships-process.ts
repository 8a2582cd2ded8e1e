// Many ships in one process, whose work takes some milliseconds and is recorded. Started with the path of a
// `ShipsOrder` as JSON.
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { silentLog } from '../../lib/log.ts';
import { RemoteLink } from '../../ship/grpc/index.ts';
import type { Identity } from '../../ship/identity/index.ts';
import { createShip, type Executor, systemShipTime } from '../../ship/index.ts';
import { MemorySpools } from '../ship/memory-spools.ts';

export interface ShipsOrder {
  readonly identities: readonly Identity[];
  /** Addresses at which the ships reach a server. */
  readonly port: number;
  readonly capacity: number;
  /** A file to which a line `run attempt` is added when the work of an attempt is done. */
  readonly done: string;
}

/** Durations of work, one after the other. */
const WORK_MS = [20, 110, 50, 80];

if (import.meta.main) {
  const order = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as ShipsOrder;
  for (const identity of order.identities) runShip(order, identity);
  process.once('disconnect', () => process.exit());
}

function runShip({ port, capacity, done }: ShipsOrder, identity: Identity): void {
  let work = 0;
  const executor: Executor = {
    kinds: ['pipeline'],
    refuses: () => undefined,
    async execute({ ref }, output, { started }) {
      started();
      await output.write({
        unixMs: Date.now(),
        level: 'info',
        stream: 'stdout',
        step: 'only',
        message: `attempt ${ref!.attempt}`,
      });
      await setTimeout(WORK_MS[work++ % WORK_MS.length]);
      appendFileSync(done, `${ref!.runId} ${ref!.attempt}\n`);
      return { outcome: Outcome.SUCCEEDED };
    },
  };
  const link = new RemoteLink({
    address: { host: '127.0.0.1', port },
    credentials: identity,
    onTrustBundle: () => undefined,
    provesRevocation: () => false,
  });
  const description = {
    name: identity.name,
    version: '1.0.0',
    os: 'linux',
    arch: 'amd64',
    keyVariables: [],
    capacity,
    ephemeral: false,
  };
  void createShip({ link, executor, spools: new MemorySpools(), time: systemShipTime, log: silentLog, description })
    .run();
}
