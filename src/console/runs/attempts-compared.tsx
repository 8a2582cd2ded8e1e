import { useState } from 'preact/hooks';
import { listRunLogs } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { withoutAnsi } from '../shared/ansi.ts';
import { ask } from '../shared/ask.ts';
import { Diff } from '../shared/diff.tsx';
import { count } from '../shared/format.ts';
import { Await, Choice, Field } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';

/** Most lines of each attempt that are compared: the time of a comparison grows with their square if they differ much. */
const COMPARED = 3000;

/** The logs of two attempts side by side. */
export function AttemptsCompared({ run: { id, attempt } }: { readonly run: Run }) {
  const [left, setLeft] = useState(String(attempt - 1));
  const [right, setRight] = useState(String(attempt));
  const logs = useLoad(async (signal) => Promise.all([left, right].map((number) => readLog(id, Number(number), signal))), [id, left, right]);
  const options = Array.from({ length: attempt }, (_, index) => [String(index + 1), `Attempt ${index + 1}`] as const);
  return (
    <div class="stack">
      <div class="form">
        <Field label="On the left"><Choice value={left} options={options} onChange={setLeft} /></Field>
        <Field label="On the right"><Choice value={right} options={options} onChange={setRight} /></Field>
      </div>
      <Await of={logs}>{([before, after]) => (
        <>
          {(before!.isCut || after!.isCut) && <p class="muted small">The first {count(COMPARED)} lines of each.</p>}
          <Diff label="Logs" before={before!.text} after={after!.text} />
        </>
      )}</Await>
    </div>
  );
}

async function readLog(id: string, attempt: number, signal: AbortSignal): Promise<{ text: string; isCut: boolean }> {
  const lines: string[] = [];
  let offset = 0;
  while (lines.length < COMPARED) {
    const { data, next_offset: next } = await ask(listRunLogs({ signal, path: { id }, query: { attempt, offset } }));
    if (data.length === 0) return { text: lines.join('\n'), isCut: false };
    lines.push(...data.map(({ message }) => withoutAnsi(message)));
    offset = next;
  }
  return { text: lines.join('\n'), isCut: true };
}
