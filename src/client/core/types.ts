import type { Client } from '../../../generated/docs/sdk/client/index.ts';

/** A function of a generated SDK. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameters of functions are contravariant: nothing else takes them all
export type SdkFunction = (options: any) => Promise<unknown>;

/** What one call may have besides the operation's body, path, query and headers. */
export interface CallOptions {
  /** Abandons the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that each try may take, instead of the client's; 0 for no limit. */
  readonly timeoutMs?: number;
  /** Times that the call is sent again at most, instead of the client's. */
  readonly retries?: number;
}

type Asked<F extends SdkFunction> = NonNullable<Parameters<F>[0]>;

/** The input of an operation: its body, path, query and headers. The client sends the headers that are needed, such as a key, where they are absent. */
export type InputOf<F extends SdkFunction> = Pick<Asked<F>, Extract<keyof Asked<F>, 'body' | 'path' | 'query'>> & { headers?: Partial<NonNullable<Asked<F>['headers']>> } & CallOptions;

/** The arguments behind an operation, which may be left out where it needs nothing. */
export type ArgumentsOf<F extends SdkFunction> = undefined extends Parameters<F>[0] ? [input?: InputOf<F>] : [input: InputOf<F>];

type Fields<F extends SdkFunction> = Awaited<ReturnType<F>>;

/** What an operation returns. */
export type DataOf<F extends SdkFunction> = Fields<F> extends { data?: unknown } ? Exclude<Fields<F>['data'], undefined> : unknown;

/** What the client knows of a service: its transport and facts of its operations. */
export interface ServiceFacts {
  readonly createClient: (config: object) => Client;
  readonly baseUrl: string;
  readonly reads: ReadonlySet<string>;
  readonly keyed: ReadonlySet<string>;
}

export type { Client };
