/** JSON-RPC codes, and those that MCP adds. */
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PARSE_ERROR = -32700;
/** What the transport refuses. */
export const REFUSED = -32000;
export const SESSION_NOT_FOUND = -32001;
export const RESOURCE_NOT_FOUND = -32002;
export const UNSUPPORTED_REVISION = -32022;

/** A request that is wrong as such and answered with a JSON-RPC error; what a tool refuses is a result instead. */
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
