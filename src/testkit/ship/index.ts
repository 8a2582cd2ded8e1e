export { FAIR, FakeFleet, type FakeRun, GRACE_MS, HEARTBEAT_MS, LEASE_TTL_MS, refOf,
  type Weather } from './fake-fleet.ts';
export { MemorySpools } from './memory-spools.ts';
export { type Script, ScriptedExecutor } from './scripted-executor.ts';
export { ShipBench, type ShipBenchOptions } from './ship-bench.ts';
export { VirtualTime } from './virtual-time.ts';
