import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the slowest test files of each project first, so that none of them runs alone at the end. Vitest orders files by their
 * last durations, which a fresh checkout does not have. Projects whose files share a process come first, each in one block,
 * because a process ends when the next file belongs to another project; short files in separate processes fill the end best.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files that are not listed keep vitest's order.
    return (await super.sort(files)).sort((a, b) => isolation(a) - isolation(b) || compareNames(a, b) || rank(a) - rank(b));
  }
}

const isolation = ({ project }: TestSpecification): number => (project.config.isolate ? 1 : 0);

function compareNames({ project: a }: TestSpecification, { project: b }: TestSpecification): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

const rank = ({ moduleId }: TestSpecification): number => RANKS.get(moduleId) ?? RANKS.size;

/** The files that took at least 5 s on two idle cores, slowest first. An outdated name does no harm. */
const SLOW = [
  'src/app/ship/run-ship.test.ts',
  'contract-tests/published-package.test.ts',
  'contract-tests/faults/docs/crash.test.ts',
  'contract-tests/bad-input.test.ts',
  'contract-tests/docs.provider.test.ts',
  'contract-tests/faults/runs/command-line.test.ts',
  'contract-tests/faults/runs/server.test.ts',
  'contract-tests/faults/runs/time.test.ts',
  'contract-tests/faults/runs/partition.test.ts',
  'src/app/start-stop.test.ts',
  'src/ship/execute/isolation.test.ts',
  'src/app/replication/replication.test.ts',
  'contract-tests/faults/runs/chaos.test.ts',
  'src/client/services.test.ts',
  'src/docs/fulltext/search/search.test.ts',
  'contract-tests/faults/docs/bulk-jobs.test.ts',
  'contract-tests/faults/runs/ships.test.ts',
  'src/app/ship/ship-process.test.ts',
  'contract-tests/console/docs.test.ts',
  'contract-tests/parity-examples.test.ts',
  'contract-tests/faults/runs/full-disk.test.ts',
  'src/search/inverted/inverted-index.test.ts',
  'contract-tests/parity-access.test.ts',
  'contract-tests/attacks/streams.test.ts',
  'contract-tests/parity.test.ts',
  'contract-tests/hostile-names.test.ts',
  'contract-tests/faults/docs/replication.test.ts',
  'contract-tests/encryption/kill.test.ts',
  'contract-tests/workers.test.ts',
  'contract-tests/runnable-examples.test.ts',
  'contract-tests/faults/runs/postgres.test.ts',
  'contract-tests/load/runs/fleet.test.ts',
  'contract-tests/attacks/letter-box.test.ts',
  'src/docs/fulltext/expansion/expansion.test.ts',
  'contract-tests/access-matrix.test.ts',
  'src/api/mcp/tools.test.ts',
  'contract-tests/grpc-parity.test.ts',
  'contract-tests/load/runs/output.test.ts',
  'contract-tests/faults/docs/webhooks.test.ts',
  'src/search/vector/hnsw/hnsw-index.test.ts',
  'src/codegen/proto.test.ts',
  'contract-tests/bodies/bodies.test.ts',
  'contract-tests/console/runs.test.ts',
  'src/docs/maintenance/maintenance.test.ts',
  'src/docs/embeddings/kill.test.ts',
  'src/app/workers/workers.test.ts',
  'src/docs/fulltext/search/match-documents.test.ts',
  'contract-tests/parity-modes.test.ts',
  'contract-tests/specification-examples.test.ts',
  'src/app/secrecy/seal-process.test.ts',
  'contract-tests/attacks/bombs.test.ts',
  'src/app/search-gate.test.ts',
  'contract-tests/parity-mixed.test.ts',
  'contract-tests/faults/docs/automation.test.ts',
  'contract-tests/attacks/web-pages.test.ts',
  'src/storage/postgres/driver.test.ts',
  'contract-tests/answer-size.test.ts',
  'contract-tests/encryption/at-rest.test.ts',
  'contract-tests/encryption/postgres.test.ts',
  'contract-tests/faults/nodes/failover.test.ts',
  'contract-tests/load/docs/soak.test.ts',
  'src/docs/fulltext/search/model.test.ts',
  'src/docs/vectors/search/search.test.ts',
  'contract-tests/faults/docs/full-disk.test.ts',
  'contract-tests/faults/docs/bodies.test.ts',
  'src/search/vector/clusters/clustered-index.test.ts',
  'contract-tests/mcp-conformance.test.ts',
  'src/docs/encryption/equivalence.test.ts',
  'contract-tests/access.test.ts',
  'src/api/mcp/models/toolset.test.ts',
  'src/app/workers/history.test.ts',
  'contract-tests/parity-large.test.ts',
  'src/search/inverted/document-text.test.ts',
  'src/ship/execute/pipeline/step-files.test.ts',
  'contract-tests/trusted-proxies.test.ts',
  'src/api/grpc/message/message.test.ts',
  'contract-tests/hostile-protocols.test.ts',
  'src/search/vector/scan.test.ts',
  'src/app/formats.test.ts',
  'src/search/inverted/cached-lists.test.ts',
];

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RANKS: ReadonlyMap<string, number> = new Map(SLOW.map((file, i) => [join(ROOT, file), i]));
