/** Error codes of JSON-RPC, and those that MCP adds. */
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
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
