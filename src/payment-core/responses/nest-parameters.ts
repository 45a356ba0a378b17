import type { ParameterValues } from '../fields/parameters.js';
import { keyedContainers, fixedKeyContainers } from '../fields/containers.js';

/** Parameters as JSON: `cart.items[0].name` becomes `{cart: {items: [{name}]}}`. */
type NestedParameters = string | readonly NestedParameters[] | NestedGroup;

/** A group of parameters: `{givenName, surname}`. */
interface NestedGroup {
  readonly [name: string]: NestedParameters;
}

type Branch = Map<string | number, Branch | string>;

/**
 * Nests flat names the way the response echoes them (operations 2.5). It uses maps instead of objects with the
 * sender's names, so no name can reach a prototype.
 *
 * @param groups the groups that are wanted; without them, everything
 */
export function nestParameters(
  parameters: ParameterValues,
  groups?: ReadonlySet<string>,
): Record<string, NestedParameters> {
  const root: Branch = new Map();
  for (const name of Object.keys(parameters)) {
    const path = pathOf(name);
    const isWanted = groups === undefined || (path.length > 1 && groups.has(String(path[0])));
    if (isWanted) place(root, path, parameters[name] ?? '');
  }
  // The root contains names only, so it becomes an object.
  return toJson(root) as Record<string, NestedParameters>;
}

type Path = readonly (string | number)[];

/**
 * The paths of the names that came first: every response needs them again. Their number is bounded, since the keys of
 * custom parameters are chosen by the sender.
 */
const known = new Map<string, Path>();
const mostKnown = 2000;

function pathOf(name: string): Path {
  const before = known.get(name);
  if (before !== undefined) return before;
  const path = splitName(name);
  if (known.size < mostKnown) known.set(name, path);
  return path;
}

function splitName(name: string): Path {
  const bracket = name.indexOf('[');
  const container = bracket === -1 ? '' : name.slice(0, bracket);
  if (keyedContainers.has(container) || fixedKeyContainers.has(container)) {
    return [...container.split('.'), name.slice(bracket + 1, -1)];
  }
  return name.split('.').flatMap((segment) => {
    const [word = '', index] = segment.replace(']', '').split('[');
    return index === undefined ? [word] : [word, Number(index)];
  });
}

function place(root: Branch, path: Path, value: string): void {
  let branch = root;
  for (let depth = 0; depth < path.length - 1; depth += 1) {
    const step = path[depth] ?? '';
    const next = branch.get(step);
    const deeper: Branch = next instanceof Map ? next : new Map<string | number, Branch | string>();
    if (next !== deeper) branch.set(step, deeper);
    branch = deeper;
  }
  branch.set(path.at(-1) ?? '', value);
}

function toJson(branch: Branch | string): NestedParameters {
  if (typeof branch === 'string') return branch;
  return isList(branch) ? listOf(branch) : groupOf(branch);
}

function isList(branch: Branch): boolean {
  for (const name of branch.keys()) if (typeof name !== 'number') return false;
  return branch.size > 0;
}

function listOf(branch: Branch): readonly NestedParameters[] {
  return [...branch]
    .sort(([left], [right]) => Number(left) - Number(right))
    .map(([, value]) => toJson(value));
}

function groupOf(branch: Branch): NestedGroup {
  const group: Record<string, NestedParameters> = {};
  for (const [name, value] of branch) {
    // Assigning it would change the prototype.
    if (name === '__proto__') return Object.fromEntries([...branch].map(([key, of]) => [key, toJson(of)]));
    group[name] = toJson(value);
  }
  return group;
}
