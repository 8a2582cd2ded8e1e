import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WITHOUT_POSTGRES } from './postgres-server.ts';

it.skipIf(WITHOUT_POSTGRES !== undefined)('the package of the server leaves the exit code of the process as it is',
  async () => {
    const program = `import { loadEmbeddedPostgres } from ${
      JSON.stringify(new URL('postgres-server.ts', import.meta.url).href)
    }; await loadEmbeddedPostgres(); process.exitCode = 3;`;
    const [code] =
      (await once(spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' }), 'exit')) as [
        number,
      ];
    expect(code).toBe(3);
  });
