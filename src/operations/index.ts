export { type AccessCheck, type AccessWatch, AccessWatches } from './access-watch.ts';
export { AnswerBudget, DEFAULT_ANSWER_BYTES, type Truncation, truncationHeaders, truncationIn,
  truncationOf } from './answer-budget.ts';
export { authorize, changesState, forbidden, mayReadAll } from './authorize.ts';
export { Call, type Input, type Next, type Step } from './call.ts';
export type { AccessMode, Caller, Protocol, StreamedBody } from './caller.ts';
export { type AnswerBounds, type Context, type Download, type Handler, type Handlers, type InputOf, type OutputOf,
  Reply, type Standing } from './handler.ts';
export { ANONYMOUS, EVERYONE, type Guard, type Identity, type Permission } from './caller.ts';
export { inputLimits } from './input-check.ts';
export { createInvoker, type Invoke, type InvokerOptions } from './invoke.ts';
export { isDeeper, parseJsonBody, readBodyBytes, requireJsonObject, requirePlainBody } from './json-body.ts';
export { pageOf } from './answers.ts';
export { createPermits, type Permits, type PermitsOptions } from './authorize.ts';
export type { Steps } from './pipeline.ts';
export { createQuota, createRateLimit, type QuotaHeaders, type RateLimit, type RateLimitOptions, type RefusedRequest,
  type Sender } from './rate-limit.ts';
export { LSN_HEADER, MIN_LSN_HEADER, parseMinLsn, type Session } from './caller.ts';
export type { Access, Effect, FlatInput, Operation, OperationSpec, ParameterSpec, ViewName } from './spec.ts';
export { note } from './steps/answer.ts';
export { caughtUp, type Following } from './steps/session.ts';
export type { Precondition, Preconditions } from './steps/input.ts';
export type { Outcome } from './steps/observe.ts';
export { patience } from './steps/patience.ts';
export { count, gate } from './steps/search.ts';
export { type Reaching, session } from './steps/session.ts';
export { createAjv } from './validation.ts';
export { warningsIn, withWarnings } from './answers.ts';
