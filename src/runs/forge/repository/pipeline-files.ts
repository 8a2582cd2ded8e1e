import { decodeUtf8 } from '../../../lib/bytes.ts';
import { type PipelineConfig, type ProjectConfig, readRepositoryPipelines,
  type RunsConfig } from '../../config/index.ts';
import type { Mirror } from './mirror.ts';

const FOLDER = '.quire/';
const MAX_FILES = 32;
const MAX_FILE_BYTES = 262_144;
/** Most bytes of the list of files in the folder. */
const MAX_LIST = 1_048_576;

/** The pipelines of a repository at a commit. */
export interface PipelinesAt {
  readonly pipelines: readonly { readonly file: string; readonly pipeline: PipelineConfig }[];
  /** Files that are wrong, each with its first problems. */
  readonly rejected: readonly { readonly file: string; readonly reason: string }[];
}

/** Problems of a file that its reason repeats. */
const SHOWN = 5;

/**
 * Reads `.quire/*.yaml` and `.quire/*.yml` at a commit that the mirror has: at most 32 files of at most 256 KiB each.
 * Names of pipelines are unique in the repository; a file that repeats one is rejected.
 */
export async function readPipelineFiles(mirror: Mirror, commit: string, project: ProjectConfig,
  config: RunsConfig): Promise<PipelinesAt>
{
  const files = await listFiles(mirror, commit);
  if (files.length > MAX_FILES)
    return {
      pipelines: [],
      rejected: [{ file: FOLDER, reason: `it has ${files.length} files, at most ${MAX_FILES}` }],
    };
  const pipelines: { file: string; pipeline: PipelineConfig }[] = [];
  const rejected: { file: string; reason: string }[] = [];
  for (const { file, blob } of files) {
    const text = await readBlob(mirror, blob);
    if (typeof text !== 'string') {
      rejected.push({ file, reason: `${file}: ${text.problem}` });
      continue;
    }
    const read = readRepositoryPipelines(file, text, project, config);
    const taken = read.pipelines.find(({ name }) => pipelines.some(({ pipeline }) => pipeline.name === name));
    if (read.problems.length > 0) rejected.push({ file, reason: read.problems.slice(0, SHOWN).join('\n') });
    else if (taken !== undefined)
      rejected.push({ file, reason: `${file}: another file has a pipeline ${taken.name}, too` });
    else pipelines.push(...read.pipelines.map((pipeline) => ({ file, pipeline })));
  }
  return { pipelines, rejected };
}

async function listFiles(mirror: Mirror, commit: string): Promise<{ file: string; blob: string }[]> {
  const list = (await mirror.read(['ls-tree', '-z', commit, '--', FOLDER], MAX_LIST)).toString();
  return list.split('\0').flatMap((line) => {
    // Links and folders are no files of pipelines.
    const [, blob, file] = /^100(?:644|755) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return blob !== undefined && file !== undefined && /\.ya?ml$/.test(file) ? [{ file, blob }] : [];
  });
}

async function readBlob(mirror: Mirror, blob: string): Promise<string | { readonly problem: string }> {
  const size = Number((await mirror.read(['cat-file', '-s', blob])).toString());
  if (size > MAX_FILE_BYTES) return { problem: `it has ${size} bytes, at most ${MAX_FILE_BYTES}` };
  return decodeUtf8(await mirror.read(['cat-file', 'blob', blob])) ?? { problem: 'it is not UTF-8' };
}
