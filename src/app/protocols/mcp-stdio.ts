import { loadStdio } from '../../api/mcp/index.ts';
import type { Listener, ServedService } from './context.ts';
import { createMcp, describeMcp } from './mcp-core.ts';

/** MCP over this process's standard input and output; ends when the client closes the input. */
export async function serveMcpStdio(context: ServedService): Promise<Listener & { readonly ended: Promise<void> }> {
  const { settings, log } = context;
  const [served, { serveOverStdio }] = await Promise.all([createMcp(context), loadStdio()]);
  const server = serveOverStdio({
    ...served,
    log,
    input: process.stdin,
    output: process.stdout,
    maxBytes: settings.limits.maxBodyBytes,
  });
  describeMcp(context, served, { stdio: true, sessions: () => ({ sse: 0, streamable: 0 }) });
  return { url: 'stdio:', ended: server.ended, stop: () => server.stop() };
}
