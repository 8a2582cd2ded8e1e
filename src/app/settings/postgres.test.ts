import { expect, it } from 'vitest';
import { loadSettings } from './load.ts';

const URL = { SVC_STORAGE_DRIVER: 'postgres', SVC_POSTGRES_URL: 'postgres://user:hidden@host/database' };

it.each([[{ SVC_STORAGE_DRIVER: 'postgres' }, 'SVC_POSTGRES_URL: the driver postgres needs the URL of its database'], [{
  ...URL,
  SVC_POSTGRES_URL: 'mysql://user:hidden@host/x',
}, 'SVC_POSTGRES_URL: the driver postgres needs the URL of its database'], [{ SVC_POSTGRES_URL: URL.SVC_POSTGRES_URL },
  'SVC_POSTGRES_URL: set SVC_STORAGE_DRIVER=postgres, or leave the URL out'], [{ ...URL, SVC_PATH: ':memory:' },
  "SVC_PATH: expected a path in a folder of this node's own"], [{ ...URL, SVC_WORKERS: '2' },
  'SVC_WORKERS: expected 1 with the driver postgres, got 2; start more nodes instead'], [{
  ...URL,
  SVC_BINLOG_ENABLED: 'true',
}, 'replication and the binlog are of the driver sqlite'], [{ ...URL, SVC_EXTREME: 'true' },
  'extreme mode is of the driver sqlite']])('refuses what does not go together with the driver: %o', (env, problem) => {
    const load = () => loadSettings({ env });
    expect(load).toThrow(problem);
    expect(load).not.toThrow('hidden');
  });

it('takes a database and leaves the folder of its own files where it was', () => {
  expect(loadSettings({ env: URL }).settings).toMatchObject({
    storage: { driver: 'postgres' },
    postgres: { pool: 10 },
    database: { path: 'data/quire.db' },
  });
});
