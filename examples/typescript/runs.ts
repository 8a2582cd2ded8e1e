// Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... runs.js URL
import { randomUUID } from 'node:crypto';
import { Configuration, type EnqueueRunRequest, type ErrorBodyError, ErrorBodyFromJSON, ProjectsApi, ResponseError,
  RunsApi } from './client';

const configuration = new Configuration({ basePath: process.argv[2]!, accessToken: process.env['QUIRE_TOKEN'] });
const projects = new ProjectsApi(configuration);
const runs = new RunsApi(configuration);

async function main(): Promise<void> {
  for (const { id } of (await projects.listProjects()).data) console.log('project', id);

  // One key for one intention: a request that is sent again under it returns the first run.
  const idempotencyKey = randomUUID();
  const enqueueRunRequest: EnqueueRunRequest = { projectId: 'alpha', kind: 'diagnostic' };
  const { data: run } = await runs.enqueueRun({ idempotencyKey, enqueueRunRequest });
  console.log('queued', run.state);
  const { data: again } = await runs.enqueueRun({ idempotencyKey, enqueueRunRequest });
  console.log(again.id === run.id ? 'same' : 'another', 'run');

  console.log('read', (await runs.getRun({ id: run.id })).data.state);
  console.log('cancelled', (await runs.cancelRun({ id: run.id })).data.state);

  try {
    await runs.getRun({ id: '0'.repeat(32) });
  } catch (error) {
    console.log('refused', (await refusal(error)).code);
  }
}

/** What a refusal says: `code` is the reason for programs. */
async function refusal(error: unknown): Promise<ErrorBodyError> {
  if (!(error instanceof ResponseError)) throw error;
  return ErrorBodyFromJSON(await error.response.json()).error;
}

void main();
