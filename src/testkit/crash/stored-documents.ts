import { HttpClient } from '../http-client.ts';
import type { Version } from './versions.ts';
import { collections, nameOf } from './writers.ts';

interface StoredDocument extends Version {
  readonly key: string;
}

/** Every document of the writers' collections, as the server returns them. */
export async function storedDocuments(url: string): Promise<Map<string, Version>> {
  const client = new HttpClient(url);
  try {
    const found = new Map<string, Version>();
    for (const collection of collections) {
      const answer = await client.post('/v1/search', { collection, limit: 10_000, includeVectors: true });
      if (answer.status !== 200) throw new Error(`search answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      for (const document of answer.json<StoredDocument[]>()) found.set(nameOf(collection, document.key), document);
    }
    return found;
  } finally {
    client.close();
  }
}
