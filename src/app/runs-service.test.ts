import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveRuns } from '../testkit/runs-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-runs-service-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the run-queue service does not start, and names the setting to change,', () => {
  it('where its folder cannot be made', async () => {
    await symlink('nowhere', join(folder, 'data'));
    await expect(serveRuns({ folder, yaml: '' })).rejects.toThrow(/^data_dir: .*data/);
  });

  it('on the data of a service that is running', async () => {
    const { service } = await serveRuns({ folder, yaml: '' });
    await expect(serveRuns({ folder, yaml: '' })).rejects.toThrow(
      /^storage\.path: database .* is in use by another process; stop that process first$/,
    );
    await service.stop();
  });
});
