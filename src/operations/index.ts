export type { Access, Effect, FlatInput, Operation, OperationMap, OperationSpec, ParameterSpec } from './spec.ts';
export type { AccessMode, Caller, Protocol } from './caller.ts';
export type { Download } from './download.ts';
export { Reply, type Context, type Handler, type Handlers, type InputOf, type OutputOf } from './handler.ts';
export { createInvoker, type Invoke, type InvokerOptions, type Outcome } from './invoke.ts';
export { createAjv } from './validation.ts';
