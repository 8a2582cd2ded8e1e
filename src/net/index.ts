export { DeliveryEngine, type DeliveryEngineOptions, type Failure, type LaneProgress, type LaneSource, type Outcome,
  type Post, poster, type Progress, secretRefusal, type Sequenced, signatureHeaders } from './delivery/index.ts';
export { badHeader } from './guarded-fetch.ts';
export { allowlistProblems, type OutboundSettings } from './outbound-policy.ts';
export { createOutbound, type Outbound, type OutboundDeps } from './outbound.ts';
