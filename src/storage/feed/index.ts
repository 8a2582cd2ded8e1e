export { CHANGE_FLAGS, type Change, type ChangeKind, type NewChange, type WrittenDocument } from './change.ts';
export { ChangeFeed } from './change-feed.ts';
export { beginCursor, forgetCursor, memoryCursor, saveCursor, storedCursor, type Cursor } from './cursor.ts';
export { FeedGap } from './feed-gap.ts';
export type { FeedReader } from './feed-reader.ts';
export type { Keep } from './pruning.ts';
export { Subscriber, type SubscriberOptions } from './subscriber.ts';
