export { DeliveryEngine, poster, secretRefusal, signatureHeaders } from './delivery/index.ts';
export type { DeliveryEngineOptions, Failure, LaneProgress, LaneSource, Outcome, Post, Progress,
  Sequenced } from './delivery/index.ts';
export { badHeader } from './guarded-fetch.ts';
export { allowlistProblems } from './outbound-policy.ts';
export type { OutboundSettings } from './outbound-policy.ts';
export { createOutbound } from './outbound.ts';
export type { Outbound, OutboundDeps } from './outbound.ts';
