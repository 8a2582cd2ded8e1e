/** How an area, a part of a service, is made. */
export interface Definition {
  readonly name: string;
  /** Areas that exist before it is made, and that stop after it. */
  readonly needs: readonly string[];
}

/** `Areas`: what the areas of a service offer each other, by their names; `Area`: what the service calls of each. */
export interface Making<Areas, Area, Environment, Whole> extends Definition {
  readonly create: (env: Environment, areas: Areas, whole: Whole) => Area;
}

/**
 * Returns the function that defines the areas of a service. The compiler sees that an area uses no other areas than
 * those that it needs. The `whole` composition has the areas that were made so far.
 */
export function definer<Areas, Area, Environment, Whole = unknown, Facts = object>() {
  return <Name extends keyof Areas & string, Needs extends keyof Areas & string>(name: Name, needs: readonly Needs[],
    create: (env: Environment, areas: Pick<Areas, Needs>, whole: Whole) => Areas[Name] & Area,
    facts: Partial<Facts> = {}): Making<Areas, Area, Environment, Whole> & Partial<Facts> => ({
      ...facts,
      name,
      needs,
      create,
    });
}

/** The definitions, each after those that it needs, and otherwise in their order. */
export function inOrderOfNeeds<D extends Definition>(definitions: readonly D[]): D[] {
  const sorted = new Set<D>();
  const visit = (definition: D, needing: readonly string[]): void => {
    const path = [...needing, definition.name];
    if (needing.includes(definition.name)) throw new Error(`areas need each other in a circle: ${path.join(' → ')}`);
    for (const name of definition.needs) {
      const needed = definitions.find((each) => each.name === name);
      if (needed === undefined) throw new Error(`the area ${definition.name} needs ${name}, which does not exist`);
      visit(needed, path);
    }
    sorted.add(definition);
  };
  for (const definition of definitions) visit(definition, []);
  return [...sorted];
}

/** The areas of a service. A service adds its phases: what it calls of all areas, and in which order. */
export class Composition<Areas, Area extends object, Environment, Facts = object> {
  readonly areas: Areas;
  /** In the order in which they were made. */
  protected readonly made: { readonly facts: Partial<Facts>; readonly area: Area }[] = [];

  /** Makes all areas; nothing runs yet. */
  constructor(definitions: readonly (Making<Areas, Area, Environment, never> & Partial<Facts>)[], env: Environment) {
    const areas: Record<string, Area> = {};
    this.areas = areas as Areas;
    for (const definition of inOrderOfNeeds(definitions)) {
      const area = definition.create(env, this.areas, this as never);
      areas[definition.name] = area;
      this.made.push({ facts: definition, area });
    }
  }

  /** What the areas have under this name, in one object, such as all handlers: everything in it belongs to one area. */
  protected merged<Part extends keyof Area>(part: Part): NonNullable<Area[Part]> {
    return Object.assign({}, ...this.made.map(({ area }) => area[part]));
  }

  /** Calls one area after another; an area comes after those that it needs. */
  protected async inOrder(call: (area: Area) => Promise<void> | void): Promise<void> {
    for (const { area } of this.made) await call(area);
  }

  protected async inReverse(call: (area: Area, facts: Partial<Facts>) => Promise<void> | void): Promise<void> {
    for (const { area, facts } of this.made.toReversed()) await call(area, facts);
  }
}
