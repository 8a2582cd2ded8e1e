export { createOutbound } from './outbound.ts';
export type { Outbound, OutboundDeps } from './outbound.ts';
export { allowlistProblems } from './outbound-policy.ts';
export type { OutboundSettings } from './outbound-policy.ts';
