/** The part of an OpenAPI description that the page of operations needs. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, ParameterObject>> };
}

interface OperationObject {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (ParameterObject | { readonly $ref: string })[];
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<string,
        { readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> }>
    >;
  };
}

interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly area: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterObject[];
  /** An example of the body, as JSON; undefined if the operation has no body. */
  readonly body: string | undefined;
}

/** The operations that can be tried: those whose body, if they have one, is JSON, and whose response has an end. */
export function operationsOf({ paths, components }: Description): Operation[] {
  const found: Operation[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const content = operation.requestBody?.content;
      const json = content?.['application/json'];
      const isEndless = operation.responses?.['200']?.content?.['text/event-stream'] !== undefined;
      if (operation.operationId === undefined || isEndless || (content !== undefined && json === undefined)) continue;
      const { summary = '', description = '', tags = [], parameters = [] } = operation;
      found.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        area: tags[0] ?? '',
        summary,
        description,
        parameters: parameters.map((
          parameter,
        ) => ('$ref' in parameter ? components!.parameters![parameter.$ref.split('/').at(-1)!]! : parameter)),
        body: json === undefined
          ? undefined
          : JSON.stringify(json.example ?? Object.values(json.examples ?? {})[0]?.value ?? {}, null, 2),
      });
    }
  }
  return found;
}
