/** What the server reports about MCP, once it is served. */
export interface McpDescription {
  /** Number of open sessions by transport. */
  sessions(): { sse: number; streamable: number };
  /** Number of offered tools, built-in and custom. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly stdio: boolean;
  /** The revisions that are served, newest first. */
  readonly supportedRevisions: readonly string[];
  readonly revisionPinned: boolean;
  /** The revision that is returned to `initialize`; empty when there is none. */
  readonly handshakeRevision: string;
}
