/** The entry point of the events area. */
export { BURST_EVENT, canonicalEvents, isServerEvent, serviceEventOf, type ServiceEvent } from './service-event.ts';
export { publishEvent } from './publish-event.ts';
export { createAlarms, type Alarms } from './alarms.ts';
export { createEventStreams, type EventStreams } from './stream/index.ts';
