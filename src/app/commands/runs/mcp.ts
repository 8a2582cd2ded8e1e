import type { Command } from 'commander';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { addRunsClientOptions, type RunsClientOptions } from './client.ts';

const NOTES = `
The tools are those that the service has at /mcp. Each call is a request to the service with the token, so they may do
what the token may. A client of MCP starts this program, for instance:
  {"mcpServers": {"runs": {"command": "quire", "args": ["runs", "mcp"], "env": {"RUNS_API_TOKEN": "..."}}}}
`;

/** `quire runs mcp`: MCP over standard input and output, for a service that runs elsewhere. */
export function registerMcp(runs: Command, io: Io): void {
  addRunsClientOptions(
    runs.command('mcp').description('serve MCP over standard input and output, for a client that starts this program'),
  ).addHelpText('after', NOTES).action((options: RunsClientOptions) =>
    runCommand('runs mcp', io, async () => {
      // Its packages would make all other commands start later.
      const { serveMcp } = await import('./serve-mcp.ts');
      await serveMcp(options, io);
    })
  );
}
