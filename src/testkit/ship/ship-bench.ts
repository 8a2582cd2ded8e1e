import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import { createShip, type Ship, type ShipDescription, type ShipEnd } from '../../ship/index.ts';
import { FakeFleet } from './fake-fleet.ts';
import { MemorySpools } from './memory-spools.ts';
import { ScriptedExecutor } from './scripted-executor.ts';
import { VirtualTime } from './virtual-time.ts';

const DESCRIPTION: ShipDescription = {
  name: 'test',
  version: '1.0.0',
  os: 'linux',
  arch: 'amd64',
  keyVariables: ['WRITER_API_KEY'],
  capacity: 2,
  ephemeral: false,
};

export interface ShipBenchOptions {
  readonly description?: Partial<ShipDescription>;
  readonly random?: () => number;
  readonly log?: Log;
  /** How far the ship's wall clock is ahead. */
  readonly clockSkewMs?: number;
}

/** A ship and a server that the test controls, in virtual time. */
export class ShipBench {
  readonly time = new VirtualTime();
  readonly fleet = new FakeFleet(this.time);
  readonly spools = new MemorySpools();
  readonly executor = new ScriptedExecutor(this.time);
  readonly ship: Ship;
  readonly end: Promise<ShipEnd>;

  constructor({ description = {}, random = () => 0, log = silentLog, clockSkewMs = 0 }: ShipBenchOptions = {}) {
    this.ship = createShip({
      link: this.fleet,
      executor: this.executor,
      spools: this.spools,
      log,
      time: {
        clock: { now: () => this.time.now() + clockSkewMs },
        monotonic: () => this.time.now(),
        timer: this.time,
        random,
      },
      description: { ...DESCRIPTION, ...description },
    });
    this.end = this.ship.run();
  }

  /** Lines that the server has stored of a run's last attempt. */
  lines(id: string): string[] {
    return [...this.fleet.runs.get(id)!.logs.values()].at(-1) ?? [];
  }

  /** Lines that the work of an attempt writes. */
  static expected(name: string, count: number): string[] {
    return Array.from({ length: count }, (_, line) => `${name}#${line}`);
  }
}
