import { getRunArtifact, listRunArtifacts } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { bytes } from '../shared/format.ts';
import { Await, Badge, Empty, Table, Time } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';

/** The files that a run produced. */
export function Artifacts({ run: id }: { readonly run: string }) {
  const list = useLoad(async (signal) => (await ask(listRunArtifacts({ signal, path: { id } }))).data, [id]);
  return (
    <Await of={list}>{(artifacts) => (artifacts.length === 0 ? <Empty>This run has left no files.</Empty> : (
      <Table label="Artefacts" isBrief columns={['File', 'Step', 'Size#', 'Kept', '']}>
        {artifacts.map(({ name, step, size, executable, created_at: at }) => (
          <tr key={name}>
            <td class="name"><code>{name}</code>{executable && <> <Badge>executable</Badge></>}</td><td>{step}</td><td class="num">{bytes(size)}</td><td><Time at={at} /></td>
            <td class="actions"><button aria-label={`Download ${name}`} onClick={() => void attempt(() => download(id, name))}>Download</button></td>
          </tr>
        ))}
      </Table>
    ))}</Await>
  );
}

/** Downloads through the client, because a link would carry no credential. */
async function download(id: string, name: string): Promise<void> {
  const content = await ask(getRunArtifact({ path: { id, name }, parseAs: 'blob' }));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name.slice(name.lastIndexOf('/') + 1);
  link.click();
  URL.revokeObjectURL(link.href);
}
