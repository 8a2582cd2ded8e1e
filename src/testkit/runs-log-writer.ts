// Appends to the log of a run until it is killed, and prints what was acknowledged: `node runs-log-writer.ts DATABASE
// RUN`.
import { lines, LogFixture, SHIP } from '../runs/logs/test-fixture.ts';

const [path, runId] = process.argv.slice(2) as [string, string];
const fixture = await LogFixture.open({}, { path });
const ref = { runId, attempt: 1, fence: 1 };

for (let seq = await fixture.logs.nextSeq(runId, 1), round = 0;; round++) {
  const batch = 1 + (round * 7) % 60;
  const answers = await Promise.all([fixture.logs.append(ref, SHIP, seq, lines(batch, seq)),
    fixture.logs.append(ref, SHIP, seq + batch, lines(batch, seq + batch))]);
  seq = answers[1].nextSeq;
  process.stdout.write(`${seq}\n`);
}
