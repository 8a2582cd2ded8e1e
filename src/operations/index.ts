export type { Access, Effect, FlatInput, Operation, OperationMap, OperationSpec, ParameterSpec } from './spec.ts';
export type { AccessMode, Caller, Protocol } from './caller.ts';
export { forbidden } from './authorize.ts';
export type { Download } from './download.ts';
export { Reply, type Context, type Handler, type Handlers, type InputOf, type OutputOf } from './handler.ts';
export type { Guard } from './guard.ts';
export { EVERYONE, NOBODY, type Identity, type Permission } from './identity.ts';
export { createInvoker, type Input, type Invoke, type InvokerOptions, type Outcome } from './invoke.ts';
export { createAjv } from './validation.ts';
