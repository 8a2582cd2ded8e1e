// Queues and ends runs of commits and has a forge show them until it is killed, and prints each run that has ended:
// `node runs-status-sender.ts DATABASE FORGE FIRST`.
import { RunsApi } from './runs-api.ts';

const [path, url, first] = process.argv.slice(2) as [string, string, string];

/** A project at a Gitea. */
export const statusConfig = (forge: string): string => `
secrets: [{name: T, env: T}]
forges: [{name: tea, kind: gitea, url: '${forge}', token: T}]
projects: [{id: alpha, repository: org/alpha, forge: tea}]
pipelines: [{name: build, steps: [{name: test, run: x}]}]
`;

if (path !== undefined) {
  const api = await RunsApi.start({ path, config: statusConfig(url) });
  api.statuses.start();
  for (let number = Number(first);; number += 1) {
    const commit = number.toString(16).padStart(40, '0');
    await api.runs.enqueueOnce('forge', `a-key-${number}`, {
      projectId: 'alpha',
      kind: 'pipeline',
      task: 'build',
      forge: {
        forge: 'tea',
        event: 'push',
        action: 'pushed',
        delivery: String(number),
        ref: '',
        branch: '',
        tag: '',
        commit,
        before: '',
        title: '',
        author: '',
        url: '',
      },
    });
    await api.work({ outcome: number % 3 === 0 ? 'failed' : 'succeeded', started: true });
    process.stdout.write(`${number}\n`);
  }
}
