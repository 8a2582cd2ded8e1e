import type { Module } from 'graphql-modules';
import { access } from './access.ts';
import { codegraph } from './codegraph.ts';
import { common } from './common.ts';
import { documents } from './documents.ts';
import { fulltext } from './fulltext.ts';
import { hybrid } from './hybrid.ts';
import { ingest } from './ingest.ts';
import { memory } from './memory.ts';
import { schemas } from './schemas.ts';
import { system } from './system.ts';
import { vectors } from './vectors.ts';
import { webhooks } from './webhooks.ts';

/** The areas of the schema; the first one has the root types that the others extend. */
export const AREAS: readonly Module[] = [common, documents, ingest, fulltext, vectors, hybrid, memory, codegraph,
  system, schemas, webhooks, access];
