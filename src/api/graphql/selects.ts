import { type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * Whether a field's selection contains a path of field names, such as `['edges', 'node', 'contentMd']`. Ignores `@skip`
 * and `@include`. Each fragment is visited once for each step of the path.
 */
export function selects(info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, path: readonly string[]): boolean {
  const seen = new Set<string>();

  const reaches = (set: SelectionSetNode | undefined, step: number): boolean => {
    if (step === path.length) return true;
    return set?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD)
        return selection.name.value === path[step] && reaches(selection.selectionSet, step + 1);
      if (selection.kind === Kind.INLINE_FRAGMENT) return reaches(selection.selectionSet, step);
      return firstLook(info.fragments[selection.name.value], step);
    }) ?? false;
  };
  const firstLook = (fragment: FragmentDefinitionNode | undefined, step: number): boolean => {
    const key = `${step} ${fragment?.name.value ?? ''}`;
    if (fragment === undefined || seen.has(key)) return false;
    seen.add(key);
    return reaches(fragment.selectionSet, step);
  };
  return info.fieldNodes.some(({ selectionSet }) => reaches(selectionSet, 0));
}
