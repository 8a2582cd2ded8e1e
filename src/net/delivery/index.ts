export { DeliveryEngine, type DeliveryEngineOptions, type LaneProgress } from './engine.ts';
export type { Failure, LaneSource, Outcome, Progress } from './lane.ts';
export type { Sequenced } from './ordered-window.ts';
export { type Post, poster } from './post.ts';
export { secretRefusal } from './secret.ts';
export { signatureHeaders } from './sign.ts';
