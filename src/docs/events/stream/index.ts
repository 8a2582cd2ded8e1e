export { createEventStreams, type EventStreams, type EventStreamsDeps } from './event-streams.ts';
