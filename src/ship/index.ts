export type { Executor, OutputLine, OutputSink, WorkControl, WorkResult } from './execute/port.ts';
export { type ControlStream, RefusedCall, type ShipLink, type StreamEvents } from './link.ts';
export { createShip, type Ship, type ShipDescription, type ShipEnd, type ShipOptions, toShipInfo } from './ship.ts';
export { createDiskSpools, type Spools } from './spool/spool-file.ts';
export { type ShipTime, systemShipTime } from './time.ts';
