export type { Executor, OutputLine, OutputSink, WorkControl, WorkResult } from './execute/port.ts';
export { RefusedCall, type ControlStream, type ShipLink, type StreamEvents } from './link.ts';
export { createShip, toShipInfo, type Ship, type ShipDescription, type ShipEnd, type ShipOptions } from './ship.ts';
export { createDiskSpools, type Spools } from './spool/index.ts';
export { systemShipTime, type ShipTime } from './time.ts';
