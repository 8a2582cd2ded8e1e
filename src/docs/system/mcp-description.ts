/** What the server tells of MCP, once it is served. */
export interface McpDescription {
  /** Open sessions by transport. */
  sessions(): { sse: number; streamable: number };
  /** The tools that are offered, built-in and custom ones. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly stdio: boolean;
  /** The revisions that are served, newest first. */
  readonly supportedRevisions: readonly string[];
  readonly revisionPinned: boolean;
  /** The revision that answers `initialize`; empty when none does. */
  readonly handshakeRevision: string;
}
