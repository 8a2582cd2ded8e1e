import type { Migration } from '../migration.ts';
import { queue } from './0001-queue.ts';
import { requests } from './0002-requests.ts';
import { logs } from './0003-logs.ts';
import { ships } from './0004-ships.ts';
import { schedules } from './0005-schedules.ts';
import { sourceAndArtifacts } from './0006-source-and-artifacts.ts';
import { orchestration } from './0007-orchestration.ts';
import { inputsAndMatrices } from './0008-inputs-and-matrices.ts';
import { nextRuns } from './0009-next-runs.ts';
import { origins } from './0010-origins.ts';
import { caches } from './0011-caches.ts';
import { fewerPages } from './0012-fewer-pages.ts';
import { cacheHits } from './0013-cache-hits.ts';
import { artifactTotal } from './0014-artifact-total.ts';
import { ownersOfKeys } from './0015-owners-of-keys.ts';

/** Every format of the run queue's database, oldest first. A new one is appended; none ever changes. */
export const RUN_QUEUE_MIGRATIONS: readonly Migration[] = [queue, requests, logs, ships, schedules, sourceAndArtifacts,
  orchestration, inputsAndMatrices, nextRuns, origins, caches, fewerPages, cacheHits, artifactTotal, ownersOfKeys];
