/** What the pool sends to a worker. */
export type ToWorker =
  /** Makes a memory, or a compiled kernel, known by a number; each is sent once to a worker. */
  | { readonly kind: 'memory'; readonly memory: number; readonly value: WebAssembly.Memory }
  | { readonly kind: 'module'; readonly module: number; readonly value: WebAssembly.Module }
  /** Drops a memory and the instances over it. */
  | { readonly kind: 'forget'; readonly memory: number }
  | { readonly kind: 'call'; readonly memory: number; readonly module: number; readonly call: string; readonly args: readonly number[] };

/** The answer to each call, in order. */
export type FromWorker = { readonly result: number } | { readonly error: string };
