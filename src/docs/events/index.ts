/** The entry point of the events area. */
export { type Alarms, createAlarms } from './alarms.ts';
export { BURST_EVENT, canonicalEvents, isServerEvent, publishEvent, type ServiceEvent,
  serviceEventOf } from './service-event.ts';
export { createEventStreams } from './stream/event-streams.ts';
export type { EventStreams } from './stream/event-streams.ts';
