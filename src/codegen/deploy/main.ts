// `node src/codegen/deploy/main.ts` writes the dashboards and the rules of deploy/ from the table of panels.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderMonitoring } from './render.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy');
for (const [path, text] of renderMonitoring()) await writeFile(join(folder, path), text);
