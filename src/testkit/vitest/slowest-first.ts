import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the slowest test files of each project first, so that none of them runs alone at the end. Vitest orders files
 * by their last durations, which a fresh checkout does not have. Slow files with a process of their own come first.
 * Projects whose files share a process follow, each in one block, because a process ends when the next file belongs to
 * another project. Short files in separate processes fill the end best.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files that are not listed keep vitest's order.
    return (await super.sort(files)).sort((a, b) =>
      groupOf(a) - groupOf(b) || compareBlocks(a, b) || rank(a) - rank(b)
    );
  }
}

function groupOf(file: TestSpecification): number {
  if (!file.project.config.isolate) return 1;
  return RANKS.has(file.moduleId) ? 0 : 2;
}

/** Files in separate processes are in no block. */
function compareBlocks({ project: a }: TestSpecification, { project: b }: TestSpecification): number {
  if (a.config.isolate) return 0;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

const rank = ({ moduleId }: TestSpecification): number => RANKS.get(moduleId) ?? RANKS.size;

/** The files that took at least 8 s on two idle cores, slowest first. An outdated name does no harm. */
const SLOW = ['contract-tests/published-package.test.ts', 'contract-tests/parity.test.ts',
  'src/app/ship/run-ship.test.ts', 'src/ship/execute/isolation.test.ts', 'contract-tests/docs.provider.test.ts',
  'contract-tests/bad-input.test.ts', 'src/runs/postgres.test.ts', 'contract-tests/faults/docs/crash.test.ts',
  'contract-tests/console/docs.test.ts', 'contract-tests/faults/runs/postgres.test.ts',
  'contract-tests/hostile-names.test.ts', 'contract-tests/parity-access.test.ts',
  'contract-tests/faults/runs/server.test.ts', 'contract-tests/faults/runs/command-line.test.ts',
  'contract-tests/faults/runs/partition.test.ts', 'src/app/start-stop.test.ts',
  'src/docs/fulltext/search/search.test.ts', 'contract-tests/faults/runs/time.test.ts',
  'contract-tests/input-limits.test.ts', 'contract-tests/load/runs/fleet.test.ts',
  'src/app/replication/replication.test.ts', 'contract-tests/console/runs.test.ts',
  'contract-tests/grpc-parity.test.ts', 'src/ship/execute/pipeline/step-files.test.ts', 'src/app/runs-formats.test.ts',
  'contract-tests/faults/runs/full-disk.test.ts', 'src/search/vector/hnsw/hnsw-index.test.ts',
  'src/codegen/proto.test.ts', 'contract-tests/runnable-examples.test.ts', 'src/runs/fleet/sessions.test.ts',
  'contract-tests/attacks/write-only.test.ts', 'src/search/inverted/inverted-index.test.ts',
  'contract-tests/faults/docs/bulk-jobs.test.ts', 'contract-tests/faults/nodes/killed-nodes.test.ts',
  'contract-tests/load/runs/output.test.ts', 'contract-tests/encryption/kill.test.ts',
  'contract-tests/access-matrix.test.ts', 'src/app/ship/ship-process.test.ts',
  'src/docs/maintenance/maintenance.test.ts', 'contract-tests/hostile-protocols.test.ts',
  'contract-tests/faults/runs/ships.test.ts', 'contract-tests/faults/runs/chaos.test.ts',
  'src/kernels/vectors-codes.test.ts', 'src/search/columns/column-store.test.ts',
  'contract-tests/encryption/at-rest.test.ts', 'contract-tests/console/accounts.test.ts',
  'contract-tests/faults/docs/replication.test.ts', 'src/search/inverted/cached-lists.test.ts',
  'src/api/mcp/tools.test.ts', 'contract-tests/parity-examples.test.ts', 'src/search/inverted/document-text.test.ts',
  'contract-tests/console/oidc.test.ts', 'contract-tests/access.test.ts', 'contract-tests/attacks/letter-box.test.ts',
  'src/search/vector/clusters/clustered-index.test.ts', 'contract-tests/encryption/postgres.test.ts',
  'contract-tests/attacks/web-pages.test.ts', 'src/storage/postgres/driver.test.ts', 'src/runs/ships/ships.test.ts',
  'src/runs/backup/backup.test.ts', 'src/runs/caches/caches.test.ts', 'contract-tests/attacks/streams.test.ts',
  'src/kernels/embedding.test.ts', 'contract-tests/faults/nodes/failover.test.ts',
  'contract-tests/bodies/bodies.test.ts', 'src/api/grpc/message/message.test.ts',
  'src/docs/fulltext/search/model.test.ts', 'contract-tests/docs.consumer.test.ts',
  'contract-tests/mcp-conformance.test.ts', 'src/search/inverted/rerank.test.ts',
  'src/embedding/local/local-provider.test.ts', 'contract-tests/workers.test.ts', 'contract-tests/answer-size.test.ts',
  'src/app/commands/command-line.test.ts', 'src/docs/encryption/equivalence.test.ts',
  'contract-tests/faults/nodes/nodes.test.ts', 'contract-tests/faults/docs/webhooks.test.ts',
  'src/docs/fulltext/expansion/expansion.test.ts', 'src/docs/vectors/search/search.test.ts',
  'src/ship/execute/source/fetch-source.test.ts', 'src/app/workers/workers.test.ts',
  'src/search/inverted/filters.test.ts', 'src/app/repair.test.ts',
  'src/docs/fulltext/search/changing-documents.test.ts', 'src/app/runs/documented-story.test.ts',
  'src/search/inverted/dictionary.test.ts', 'src/api/mcp/sessions.test.ts', 'src/docs/embeddings/kill.test.ts',
  'src/kernels/bzip2.test.ts', 'src/docs/fulltext/view/fulltext-view.test.ts', 'src/docs/ingest/wiki/memory.test.ts',
  'contract-tests/parity-large.test.ts', 'contract-tests/faults/docs/automation.test.ts',
  'contract-tests/runs-api.provider.test.ts', 'contract-tests/parity-modes.test.ts',
  'src/runs/artifacts/artifacts.test.ts', 'src/app/slow-requests.test.ts', 'src/search/vector/scan.test.ts',
  'src/app/formats.test.ts', 'src/app/workers/history.test.ts', 'src/docs/vectors/view/vector-view.test.ts',
  'contract-tests/attacks/bombs.test.ts', 'src/docs/hybrid/search.test.ts', 'src/docs/fulltext/search/sort.test.ts',
  'src/ship/execute/executor.test.ts', 'src/runs/several-servers.test.ts', 'contract-tests/faults/docs/encoder.test.ts',
  'contract-tests/support/chromium.test.ts', 'src/docs/fulltext/search/filter.test.ts',
  'src/ship/execute/pipeline/run-pipeline.test.ts', 'src/docs/ingest/wiki/import-wiki.test.ts',
  'src/runs/fleet/joining.test.ts', 'src/kernels/cooccurrence.test.ts', 'src/app/search-gate.test.ts'];

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RANKS: ReadonlyMap<string, number> = new Map(SLOW.map((file, i) => [join(ROOT, file), i]));
