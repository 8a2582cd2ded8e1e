// The run-queue service: a fleet under load, logs, a long history, and job queues on the same machine. Takes about five
// minutes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { benchFleet } from './run-queue/fleet.ts';
import { benchRunHistory } from './run-queue/history.ts';
import { benchRunLogs } from './run-queue/logs.ts';
import { benchQueuePeers } from './run-queue/peers.ts';
import type { Section } from './support/table.ts';

export async function benchRunQueue(folder: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [name, part] of Object.entries({
    fleet: benchFleet,
    logs: benchRunLogs,
    history: benchRunHistory,
    peers: benchQueuePeers,
  })) {
    const own = join(folder, `run-queue-${name}`);
    await mkdir(own);
    sections.push(...(await part(own)));
  }
  return sections;
}
