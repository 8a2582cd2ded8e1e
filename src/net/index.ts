export { DeliveryEngine, type DeliveryEngineOptions, type LaneProgress } from './delivery/engine.ts';
export { type Failure, type LaneSource, type Outcome, type Progress } from './delivery/lane.ts';
export { type Sequenced } from './delivery/ordered-window.ts';
export { type Post, poster } from './delivery/post.ts';
export { secretRefusal, signatureHeaders } from './delivery/sign.ts';
export { badHeader } from './guarded-fetch.ts';
export { allowlistProblems, type OutboundSettings } from './outbound-policy.ts';
export { createOutbound, type Outbound, type OutboundDeps } from './outbound.ts';
