import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a server without a schema. */
    postgresUrl: string;
  }
}

/** One PostgreSQL server for all suites that run over it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
