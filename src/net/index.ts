export { DeliveryEngine, type DeliveryEngineOptions, type LaneProgress } from './delivery/engine.ts';
export { type Failure, type LaneSource, type Outcome, type Progress } from './delivery/lane.ts';
export { type Sequenced } from './delivery/ordered-window.ts';
export { keyOf, type Post, poster, secretRefusal, signatureHeaders } from './delivery/post.ts';
export { badHeader } from './guarded-fetch.ts';
export { allowlistProblems, type OutboundSettings, RefusedRequest } from './outbound-policy.ts';
export { createOutbound, type Outbound, type OutboundDeps } from './outbound.ts';
