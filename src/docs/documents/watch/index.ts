export { canonicalName, DOCUMENT_EVENTS, type DocumentEvent, type DocumentEventName, eventOf,
  eventsNamed } from './events.ts';
export { WatchHub } from './watch-hub.ts';
export { createWatch, type Watch, type WatchDependencies, type WatchedEvent, type WatchInput } from './watch.ts';
export { MAX_BEHIND } from './watcher.ts';
