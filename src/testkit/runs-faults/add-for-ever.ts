// Adds projects to a configuration file until it is killed: `node add-for-ever.ts FILE PREFIX` prints `ID.` for each
// project that it has added.
import { writeSync } from 'node:fs';
import { systemTimer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { LiveRunsConfig, loadRunsConfig } from '../../runs/config/index.ts';
import { ProjectFile } from '../../runs/projects/create-project.ts';

const [source, prefix] = process.argv.slice(2) as [string, string];
const config = new LiveRunsConfig({
  loaded: await loadRunsConfig({ source, env: {} }),
  env: {},
  log: silentLog,
  timer: systemTimer,
});
const file = new ProjectFile(config, {}, systemTimer);
for (let i = 0;; i++) {
  const { id } = await file.add({ id: `${prefix}-${i}`, repository: 'org/name' });
  writeSync(1, `${id}.\n`);
}
