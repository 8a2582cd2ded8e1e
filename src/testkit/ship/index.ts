export { FAIR, FakeFleet, GRACE_MS, HEARTBEAT_MS, LEASE_TTL_MS, refOf, type FakeRun, type Weather } from './fake-fleet.ts';
export { MemorySpools } from './memory-spools.ts';
export { ScriptedExecutor, type Script } from './scripted-executor.ts';
export { ShipBench, type ShipBenchOptions } from './ship-bench.ts';
export { VirtualTime } from './virtual-time.ts';
