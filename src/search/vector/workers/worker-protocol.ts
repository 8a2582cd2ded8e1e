/** Messages from the pool to a worker. */
export type ToWorker =
  /** Registers a memory, or a compiled kernel, under a number; each is sent to a worker once. */
  | { readonly kind: 'memory'; readonly memory: number; readonly value: WebAssembly.Memory }
  | { readonly kind: 'module'; readonly module: number; readonly value: WebAssembly.Module }
  /** Drops a memory and the instances over it. */
  | { readonly kind: 'forget'; readonly memory: number }
  | { readonly kind: 'call'; readonly memory: number; readonly module: number; readonly call: string;
    readonly args: readonly number[] };

/** Result of each call, in order. */
export type FromWorker = { readonly result: number } | { readonly error: string };
