export { decodeInSteps, decodeMessage, type DecodeOptions } from './decode.ts';
export { encodeMessage } from './encode.ts';
export { type MessagePlan, readSchema, type Schema } from './plan.ts';
