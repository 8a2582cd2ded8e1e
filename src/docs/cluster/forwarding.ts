import type { Operations } from '../../../generated/docs/operations.ts';
import { type ErrorCode, ERRORS, ServiceError } from '../../errors/index.ts';
import { type Call, type Caller, type Invoke, Reply, toServiceError } from '../../operations/index.ts';
import type { IndexElsewhere } from '../view/index.ts';
import type { Route } from './cluster-state.ts';
import type { Cluster } from './cluster.ts';
import type { Collections } from './collections.ts';
import type { NodeConnections } from './connections.ts';
import { askHedged, HedgeDelay } from './hedge.ts';

/** What another node needs to know of a caller. */
type ForwardedCaller = Pick<Caller,
  'protocol' | 'requestId' | 'ip' | 'userAgent' | 'credential' | 'trustedAs' | 'trustedUntil' | 'readsOnly' | 'isPart'
    | 'minLsn'>;

interface Request {
  readonly operation: keyof Operations & string;
  readonly input: object;
  readonly caller: ForwardedCaller;
}

type Response = { readonly value: unknown; readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number; readonly lsn?: number } | {
  readonly error: { readonly code: ErrorCode; readonly message: string;
    readonly headers?: Readonly<Record<string, string>> };
};

interface ForwarderDeps {
  readonly cluster: Pick<Cluster, 'routeOf' | 'self' | 'failed'>;
  readonly collections: Pick<Collections, 'unitOf'>;
  readonly connections: Pick<NodeConnections, 'to'>;
  /** The highest LSN that this process knows: an answer must include what its caller has written here. */
  readonly known: () => number | undefined;
}

/** Asks other nodes for what is in their memory and not in that of this one. */
export class CallForwarder {
  readonly #deps: ForwarderDeps;
  readonly #delay = new HedgeDelay();

  constructor(deps: ForwarderDeps) {
    this.#deps = deps;
  }

  /** The other nodes that have a collection ready, the best first. */
  routesOf(collection: string): Route[] {
    const { cluster, collections } = this.#deps;
    const unit = collections.unitOf(collection);
    if (unit === undefined) return [];
    return cluster.routeOf(unit).filter(({ name, isReady, address }) =>
      isReady && name !== cluster.self && address !== ''
    );
  }

  /**
   * The answer of another node to a read; undefined if none can be asked, or the call must stay here: then the
   * collection is in the memory of this one. Rejects with the error of the operation.
   */
  async ask(call: Call, { collection, load }: IndexElsewhere): Promise<{ readonly output: unknown } | undefined> {
    const { signal } = call.context;
    const nodes = this.#mayForward(call) ? this.routesOf(collection.toLowerCase()) : [];
    const response = nodes.length === 0 ? undefined : await this.#hedged(call, nodes, signal);
    if (response === undefined) {
      await load(signal);
      return undefined;
    }
    if ('error' in response) throw errorOf(response.error);
    if (response.lsn !== undefined && call.caller.minLsn !== undefined) call.caller.onLsn?.(response.lsn);
    return { output: new Reply(response.value, response.headers, response.status) };
  }

  /** A forwarded call is not forwarded again, and neither is one with a stream or a file. */
  #mayForward({ caller, spec: { produces } }: Call): boolean {
    return caller.isForwarded !== true && caller.body === undefined && produces.every((type) => type === JSON_TYPE);
  }

  /** Undefined if no node answers. */
  async #hedged(call: Call, nodes: readonly Route[], signal: AbortSignal): Promise<Response | undefined> {
    const request = Buffer.from(JSON.stringify(this.#request(call)));
    const ask = async (node: Route, within: AbortSignal): Promise<Response> => {
      const began = performance.now();
      try {
        const answer = await this.#deps.connections.to(node.address).ask(request, within);
        this.#delay.observe(performance.now() - began);
        return JSON.parse(Buffer.from(answer).toString()) as Response;
      } catch (error) {
        if (!within.aborted) this.#deps.cluster.failed(node.name);
        throw error;
      }
    };
    try {
      return (await askHedged(ask, { nodes, delay: this.#delay.delay, signal })).value;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  #request({ spec, input, caller }: Call): Request {
    const { protocol, requestId, ip, userAgent, credential, trustedAs, trustedUntil, readsOnly, isPart, minLsn } =
      caller;
    return {
      operation: spec.id as Request['operation'],
      input: input!,
      caller: {
        protocol,
        requestId,
        ip,
        userAgent,
        credential,
        trustedAs,
        trustedUntil,
        readsOnly,
        isPart,
        minLsn: Math.max(minLsn ?? 0, this.#deps.known() ?? 0),
      },
    };
  }
}

const JSON_TYPE = 'application/json';

/** Answers a request of another node, whose caller it has let in. Never rejects. */
export async function answerForwarded(invoke: Invoke<Operations>, request: Uint8Array,
  signal: AbortSignal): Promise<Uint8Array>
{
  const { operation, input, caller } = JSON.parse(Buffer.from(request).toString()) as Request;
  let lsn: number | undefined;
  const forwarded: Caller = { ...caller, isForwarded: true, signal, onLsn: (reached) => void (lsn = reached) };
  const answer = await responseOf(async () => {
    const result: unknown = await invoke(operation, input, forwarded);
    const { value, headers, status } = result instanceof Reply ? result as Reply<unknown> : new Reply(result);
    return { value, headers, status, lsn };
  });
  return Buffer.from(JSON.stringify(answer));
}

async function responseOf(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const { code, message, headers } = toServiceError(error);
    return { error: { code, message, headers } };
  }
}

function errorOf({ code, message, headers }: Extract<Response, { error: unknown }>['error']): ServiceError {
  return new ServiceError(code in ERRORS ? code : 'internal', message, { headers });
}
