import { setTimeout } from 'node:timers/promises';
import type { DocsServer } from './docs-server.ts';
import { HttpClient } from './http-client.ts';

/** How long a worker may take to start on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Resolves once that many processes serve, this one included. */
export async function serving(url: string, processes: number): Promise<void> {
  const client = new HttpClient(url);
  const until = performance.now() + TIMEOUT_MS;
  try {
    while (!(await client.get('/metrics')).text.includes(`svc_workers{state="ready"} ${processes}\n`)) {
      if (performance.now() > until) throw new Error(`no ${processes} processes serve`);
      await setTimeout(50);
    }
  } finally {
    client.close();
  }
}

/** Clients with one connection each, so that each talks to one process, and as many as there are talk to all of them. */
export async function clientsOf(server: Pick<DocsServer, 'url'>, processes: number): Promise<HttpClient[]> {
  await serving(server.url, processes);
  const clients = Array.from({ length: processes }, () => new HttpClient(server.url, 1));
  // Connections are handed out in turn, so they are opened one after the other.
  for (const client of clients) await client.get('/health');
  return clients;
}
