import { type ErrorCode, ServiceError } from '../../../errors/index.ts';
import type { ErrorFormat } from '../../http/index.ts';

/** Error codes of JSON-RPC, and those that MCP adds. */
export const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PARSE_ERROR = -32700;
/** A request that the transport rejects. */
export const REFUSED = -32000;
export const SESSION_NOT_FOUND = -32001;
export const RESOURCE_NOT_FOUND = -32002;
export const UNSUPPORTED_REVISION = -32022;

/** A request that is itself invalid and receives a JSON-RPC error; an error within a tool is a result instead. */
export class McpFault extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'McpFault';
    this.code = code;
    this.data = data;
  }
}

/** What JSON-RPC says of an error besides its message. */
interface RpcDetails {
  readonly code: number;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Id of the message, if one was read. */
  readonly id?: unknown;
  /** The HTTP status, if it is not that of the error's code. */
  readonly status?: number;
}

/** An error that rejects a request over HTTP, with a JSON-RPC code of its own. */
export class Refusal extends ServiceError {
  readonly rpc: RpcDetails;

  constructor(code: ErrorCode, message: string, rpc: RpcDetails) {
    super(code, message);
    this.name = 'Refusal';
    this.rpc = rpc;
  }

  override get status(): number {
    return this.rpc.status ?? super.status;
  }
}

/** The JSON-RPC codes of all other errors of requests over HTTP. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: PARSE_ERROR,
  invalid_argument: INVALID_REQUEST,
  not_found: METHOD_NOT_FOUND,
  internal: INTERNAL_ERROR,
};

/** The body of every error over HTTP: JSON-RPC, even if no message could be read. */
export const jsonRpcErrors: ErrorFormat = {
  body: (error) => {
    const { code, data, id } = error instanceof Refusal ? error.rpc : { code: RPC_CODES[error.code] ?? REFUSED };
    const message = error.code === 'invalid_json'
      ? `Parse error: ${error.message.replace('invalid JSON: ', '')}`
      : error.message;
    return {
      jsonrpc: '2.0',
      error: { code, message, data },
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
    };
  },
  // The server stops, has too many sessions, or has logged already why it cannot serve.
  isExpected: ({ code, cause }) => code === 'unavailable' && cause === undefined,
};
