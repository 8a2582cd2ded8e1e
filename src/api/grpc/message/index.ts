export { decodeInSteps, decodeMessage, type DecodeOptions } from './decode.ts';
export { encodeMessage } from './encode.ts';
export { readSchema, type MessagePlan, type Schema } from './plan.ts';
