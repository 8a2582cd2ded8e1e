import { useEffect } from 'preact/hooks';
import { getBadge } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Dialog } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';

/** The badge of a project, and the line that shows it in a README. */
export function ProjectBadge({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const image = useLoad(async (signal) => URL.createObjectURL(await ask(getBadge({ signal, path: { id: project }, parseAs: 'blob' }))), [project]);
  useEffect(() => () => {
    if (image.data !== undefined) URL.revokeObjectURL(image.data);
  }, [image.data]);
  const url = new URL(`/api/v1/projects/${encodeURIComponent(project)}/badge.svg`, location.href).href;
  return (
    <Dialog title={`Badge of ${project}`} onClose={onClose}>
      <div class="stack">
        <Await of={image}>{(source) => <div><img src={source} alt={`The state of ${project}`} /></div>}</Await>
        <pre class="code" tabIndex={0}>{`![${project}](${url})`}</pre>
        <p class="small muted">Pages elsewhere show it with <code>runtime.public_badges</code> in the configuration of the service. <code>?pipeline=NAME</code> and <code>?ref=BRANCH</code> narrow it.</p>
      </div>
    </Dialog>
  );
}
