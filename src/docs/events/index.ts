/** The entry point of the events area. */
export { type Alarms, createAlarms } from './alarms.ts';
export { publishEvent } from './publish-event.ts';
export { BURST_EVENT, canonicalEvents, isServerEvent, type ServiceEvent, serviceEventOf } from './service-event.ts';
export { createEventStreams, type EventStreams } from './stream/index.ts';
