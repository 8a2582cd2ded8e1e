export { canonicalName, DOCUMENT_EVENTS, eventOf, eventsNamed, type DocumentEvent, type DocumentEventName } from './events.ts';
export { createWatch, type Watch, type WatchDependencies, type WatchedEvent, type WatchInput } from './watch.ts';
export { WatchHub } from './watch-hub.ts';
export { MAX_BEHIND } from './watcher.ts';
