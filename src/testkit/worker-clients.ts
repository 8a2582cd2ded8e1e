import { setTimeout } from 'node:timers/promises';
import type { DocsServer } from './docs-server.ts';
import { HttpClient } from './http-client.ts';

/** How long a worker may take to start on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Resolves when this many processes are serving, including this one. */
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

/** Clients with one connection each, so that each talks to one process, and together they talk to all processes. */
export async function clientsOf(server: Pick<DocsServer, 'url'>, processes: number): Promise<HttpClient[]> {
  await serving(server.url, processes);
  const clients = Array.from({ length: processes }, () => new HttpClient(server.url, 1));
  // Connections are distributed in turn, so they are opened one at a time.
  for (const client of clients) await client.get('/health');
  return clients;
}
