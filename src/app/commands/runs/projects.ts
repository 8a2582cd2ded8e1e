import type { Command } from 'commander';
import { deleteProject, listProjects, replaceProject } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Project } from '../../../../generated/runs/sdk/types.gen.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

const COLUMNS = [{ heading: 'id', minimum: 8 }, { heading: 'enabled', minimum: 7 }, {
  heading: 'repository',
  minimum: 10,
}, { heading: 'pipelines', minimum: 10 }, { heading: 'at once', minimum: 7 }, { heading: 'next release', minimum: 12 },
  { heading: 'next content', minimum: 12 }];

/** `quire runs projects`, and commands for one of them. */
export function registerProjects(runs: Command, io: Io): void {
  const projects = runs.command('projects').description('list the configured projects; with a command, change one')
    .option('--json', 'write JSON instead of a table');
  addRunsClientOptions(projects).action((options: Options) => runCommand('runs projects', io, () => list(options, io)));
  const changes = {
    enable: ['let runs of a project be queued and started',
      (client: RunsClient, project: Project) => setEnabled(client, project, true)],
    disable: ['let no runs of a project be queued and started',
      (client: RunsClient, project: Project) => setEnabled(client, project, false)],
    delete: ['remove a project from the configuration; its runs stay', remove],
  } as const;
  for (const [name, [description, work]] of Object.entries(changes)) {
    // The client options belong to `projects` itself, so they may precede or follow the subcommand.
    const command = projects.command(name).description(description).argument('<project>', 'id of the project');
    command.action((id: string, _options: object, own: Command) =>
      runCommand(`runs projects ${name}`, io, async () => {
        const client = openRunsClient(own.optsWithGlobals<Options>());
        writeLines(io.stdout, [await work(client, await find(client, id))]);
      })
    );
  }
}

async function list(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const answer = await client.ask(() => listProjects({ client: client.sdk }));
  if (options.json) return writeJson(io, answer);
  const moment = (seconds: number | null): string => (seconds === null ? '' : formatMoment(seconds));
  const rows = answer.data.map((
    { id, enabled, repository, pipelines, max_parallel, next_release_at, next_content_at },
  ) => [id, enabled ? 'yes' : 'no', repository, pipelines.join(' '), max_parallel === 0 ? '' : String(max_parallel),
    moment(next_release_at), moment(next_content_at)]
  );
  writeTable(io, COLUMNS, rows, 'no projects are configured');
}

async function find(client: RunsClient, id: string): Promise<Project> {
  const { data } = await client.ask(() => listProjects({ client: client.sdk }));
  const found = data.find((project) => project.id === id);
  if (found !== undefined) return found;
  const ids = data.map((project) => project.id);
  throw new CommandError(
    `no project ${id}${
      ids.length === 0 ? '; there is none' : `; there are: ${ids.slice(0, 10).join(', ')}${didYouMean(id, ids)}`
    }`,
  );
}

async function setEnabled(client: RunsClient, project: Project, enabled: boolean): Promise<string> {
  // What a request leaves out gets its default, so all that is configured is sent back.
  const { id, pipelines: _, next_release_at: __, next_content_at: ___, ...configured } = project;
  await client.ask(() => replaceProject({ client: client.sdk, path: { id }, body: { ...configured, enabled } }));
  return `${id} is ${enabled ? 'enabled' : 'disabled'}`;
}

async function remove(client: RunsClient, { id }: Project): Promise<string> {
  await client.askOnce(deleteProject({ client: client.sdk, path: { id } }));
  return `${id} is deleted`;
}
