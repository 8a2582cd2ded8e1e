// MiniSearch and Orama with their defaults: titles and texts as two fields, their own tokenizers. For ranking only.
import { create, insert, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import type { Engine } from './engine.ts';

export function makeDefaultMiniSearch(): Engine {
  const index = new MiniSearch<{ id: number; title: string; text: string }>({ fields: ['title', 'text'] });
  return {
    add: (id, text, title = '') => index.add({ id, title, text }),
    commit: () => {},
    search: {},
    count: () => 0,
    rank: (question, limit) => index.search(question).slice(0, limit).map(({ id }) => id as number),
  };
}

export function makeDefaultOrama(): Engine {
  const db = create({ schema: { title: 'string', text: 'string' } });
  return {
    add: (id, text, title = '') => void insert(db, { id: String(id), title, text }),
    commit: () => {},
    search: {},
    count: () => 0,
    rank: (question, limit) => search(db, { term: question, limit }).hits.map(({ id }) => Number(id)),
  };
}
