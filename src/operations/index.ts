export { type AccessCheck, type AccessWatch, AccessWatches } from './access-watch.ts';
export { AnswerBudget, DEFAULT_ANSWER_BYTES, type Truncation, truncationHeaders, truncationIn,
  truncationOf } from './answer-budget.ts';
export { pageOf, warningsIn, withWarnings } from './answers.ts';
export { authorize, changesState, createPermits, forbidden, mayReadAll, type Permits,
  type PermitsOptions } from './authorize.ts';
export { Call, type Input, type Next, type Step } from './call.ts';
export { type AccessMode, ANONYMOUS, type Caller, EVERYONE, type Guard, type Identity, LSN_HEADER, MIN_LSN_HEADER,
  parseMinLsn, type Permission, type Protocol, type Session, type StreamedBody } from './caller.ts';
export { type AnswerBounds, type Context, type Download, type Handler, type Handlers, type InputOf, isFault,
  type OutputOf, Reply, type Standing, toServiceError } from './handler.ts';
export { inputLimits } from './input-check.ts';
export { createInvoker, type Invoke, type InvokerOptions } from './invoke.ts';
export { isDeeper, parseJsonBody, readBodyBytes, requireJsonObject, requirePlainBody } from './json-body.ts';
export { FORWARDED, type Steps } from './pipeline.ts';
export { createQuota, createRateLimit, type QuotaHeaders, type RateLimit, type RateLimitOptions, type RefusedRequest,
  type Sender } from './rate-limit.ts';
export type { Access, Effect, FlatInput, Operation, OperationSpec, ParameterSpec, ViewName } from './spec.ts';
export { note } from './steps/answer.ts';
export { elsewhere } from './steps/elsewhere.ts';
export type { Precondition, Preconditions } from './steps/input.ts';
export type { Outcome } from './steps/observe.ts';
export { patience } from './steps/patience.ts';
export { count, gate } from './steps/search.ts';
export { caughtUp, type Following, type Reaching, session } from './steps/session.ts';
export { createAjv } from './validation.ts';
