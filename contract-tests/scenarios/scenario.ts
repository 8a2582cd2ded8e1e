import type { Client } from '../../generated/docs/sdk/client/index.ts';
import { addDocument } from '../../generated/docs/sdk/sdk.gen.ts';
import type { WrittenDocument } from '../../generated/docs/sdk/types.gen.ts';
import type { DocsServer } from '../../src/testkit/docs-server.ts';
import type { ScenarioContext, Scenarios } from '../provider.suite.ts';
import { succeeded } from '../support/expectations.ts';

export type DocsContext = ScenarioContext<DocsServer, Client>;
export type DocsScenarios = Scenarios<DocsServer, Client>;

type Overrides = { key?: string; lang?: string; contentMd?: string; meta?: Record<string, string[]> };

/** Stores a document in the scenario's collection. */
export async function store({ client, collection }: DocsContext,
  overrides: Overrides = {}): Promise<Required<Omit<WrittenDocument, 'expiresAt' | 'checksum'>>>
{
  const body = {
    collection,
    key: 'hello-world',
    lang: 'en',
    contentMd: '# Hello',
    meta: { category: ['news'] },
    ...overrides,
  };
  // Lists have no checksums.
  const { meta, contentMd, checksum: _, ...written } = succeeded(await addDocument({ client, body }));
  return { ...written, meta: meta!, contentMd: contentMd! };
}

export const now = (): number => Math.floor(Date.now() / 1000);
