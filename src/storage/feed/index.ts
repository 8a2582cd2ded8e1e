export { ChangeFeed } from './change-feed.ts';
export { type Change, CHANGE_FLAGS, type ChangeKind, type NewChange, type WrittenDocument } from './change.ts';
export { beginCursor, type Cursor, forgetCursor, memoryCursor, saveCursor, storedCursor } from './cursor.ts';
export { FeedGap } from './feed-gap.ts';
export type { FeedReader } from './feed-reader.ts';
export type { Keep } from './pruning.ts';
export { Subscriber, type SubscriberOptions } from './subscriber.ts';
