import type { Client } from '../../../generated/docs/sdk/client/index.ts';

/** A function of a generated SDK. */
// Parameters of functions are contravariant: nothing else takes them all.
// oxlint-disable-next-line typescript/no-explicit-any
export type SdkFunction = (options: any) => Promise<unknown>;

/** Options of one call besides the operation's body, path, query and headers. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that each attempt may take, instead of the client's; 0 for no limit. */
  readonly timeoutMs?: number;
  /** Most retries of the call, instead of the client's. */
  readonly retries?: number;
}

type Asked<F extends SdkFunction> = NonNullable<Parameters<F>[0]>;

/**
 * The input of an operation: its body, path, query and headers. The client adds required headers, such as a key, if
 * they are absent.
 */
export type InputOf<F extends SdkFunction> = Pick<Asked<F>, Extract<keyof Asked<F>, 'body' | 'path' | 'query'>> & {
  headers?: Partial<NonNullable<Asked<F>['headers']>>;
} & CallOptions;

/** The arguments after the operation, which are optional if it requires none. */
export type ArgumentsOf<F extends SdkFunction> = undefined extends Parameters<F>[0] ? [input?: InputOf<F>]
  : [input: InputOf<F>];

type Fields<F extends SdkFunction> = Awaited<ReturnType<F>>;

/** What an operation returns. */
export type DataOf<F extends SdkFunction> = Fields<F> extends { data?: unknown } ? Exclude<Fields<F>['data'], undefined>
  : unknown;

/** The client's description of a service: its transport and facts of its operations. */
export interface ServiceFacts {
  readonly createClient: (config: object) => Client;
  readonly baseUrl: string;
  readonly reads: ReadonlySet<string>;
  readonly keyed: ReadonlySet<string>;
}

export type { Client };
